/** Shared by the tests of consent to calls: consent with rules, approvals and an audit log in memory. */
import { Emitter } from '../../../src/core/base/event.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { AuditLog } from '../../../src/core/consent/auditLog.js';
import type { AuditRecord } from '../../../src/core/consent/audit.js';
import { RuleBook } from '../../../src/core/consent/ruleBook.js';
import type { CallAnswer, CallQuestion, RequestedCall } from '../../../src/core/consent/callConsent.js';
import { ToolConsent } from '../../../src/core/consent/toolConsent.js';
import { ScopedPins, ToolPins } from '../../../src/core/consent/toolPins.js';
import type { PinStore } from '../../../src/core/consent/toolPins.js';
import type { Tool } from '../../../src/core/protocol/mcp.js';

export const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };

export const call: RequestedCall = {
  server: { id: 'srv', hash: 'h', origin: 'user' },
  tool: echo,
  isListed: true,
  arguments: { text: 'hi' },
  caller: 'model',
  secretArguments: new Set(),
  secrets: [],
};

export function open(
  options: {
    user?: unknown;
    workspace?: unknown;
    state?: Record<string, unknown>;
    userStore?: PinStore;
    answer?: CallAnswer | (() => CallAnswer);
  } = {},
) {
  const state = new Map(Object.entries(options.state ?? {}));
  const store = {
    get: (key: string) => state.get(key),
    set: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
  };
  const written = { user: options.user as readonly unknown[] | undefined };
  const changed = new Emitter<void>();
  const rules = new RuleBook(
    {
      read: () => ({ user: written.user, workspace: [options.workspace] }),
      write: (list) => Promise.resolve(void (written.user = list)),
      onDidChange: changed.event,
    },
    store,
  );
  const lines: string[] = [];
  const audit = new AuditLog(
    { append: (text) => Promise.resolve(lines.push(text)), rotate: () => Promise.resolve() },
    () => undefined,
  );
  const asked: CallQuestion[] = [];
  const asker = {
    ask: async (question: CallQuestion) => {
      asked.push(question);
      const { answer } = options;
      if (answer === undefined) throw new HostError('cancelled', 'Nobody answers.');
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  const pins = new ScopedPins(new ToolPins(store), new ToolPins(options.userStore ?? store));
  const consent = new ToolConsent({ rules, pins, audit, asker, trustedAnnotations: () => [], now: () => 0 });
  const entries = async () => {
    await audit.flushed();
    return lines.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as AuditRecord);
  };
  return { consent, rules, pins, asked, entries, lines, written, state, audit };
}

export const admit = (
  made: ReturnType<typeof open>,
  more: Partial<RequestedCall> = {},
  current: Tool | undefined = more.tool ?? echo,
) => made.consent.admit({ ...call, ...more }, () => current);
