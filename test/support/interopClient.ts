/**
 * Our client as the interop tests use it: with all handlers, a record of all events, and the oracle checking every
 * message.
 */
import type {
  CreateMessageRequest,
  ElicitRequest,
  ElicitResult,
  LogMessage,
  Root,
} from '../../src/core/protocol/mcp.js';
import { SchemaValidator } from '../../src/core/schema/schemaValidator.js';
import type { ServerRequestHandlers } from '../../src/core/session/serverRequests.js';
import type { SessionOptions } from '../../src/core/session/mcpSession.js';
import { McpSession } from '../../src/core/session/mcpSession.js';
import type { OpenTransport } from '../../src/core/session/handshake.js';
import { until } from './httpUntil.js';
import { InteropOracle } from './interopOracle.js';
import { patientLimits } from './patientLimits.js';

interface InteropSeen {
  logs: LogMessage[];
  listChanges: string[];
  updates: string[];
  warnings: string[];
  stderr: string[];
  taskStatuses: Record<string, unknown>[];
  completedElicitations: string[];
  elicitations: ElicitRequest[];
  samplings: CreateMessageRequest[];
}

export interface InteropClient {
  session: McpSession;
  oracle: InteropOracle;
  seen: InteropSeen;
  /** The answers of the host; may be replaced at any time. */
  answers: { elicit: (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitResult>; roots: Root[] };
  /** Resolves when `holds` returns true; checks repeatedly. */
  until: (holds: () => boolean) => Promise<void>;
  /** Clears the records, for the next test on the same session. */
  forget: () => void;
}

export async function connectInterop(
  open: OpenTransport,
  options: Partial<SessionOptions> = {},
): Promise<InteropClient> {
  const oracle = new InteropOracle();
  const seen: InteropSeen = {
    logs: [],
    listChanges: [],
    updates: [],
    warnings: [],
    stderr: [],
    taskStatuses: [],
    completedElicitations: [],
    elicitations: [],
    samplings: [],
  };
  const usual: InteropClient['answers'] = {
    elicit: (request) =>
      Promise.resolve(request.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada' } }),
    roots: [{ uri: 'file:///interop/root', name: 'interop root' }],
  };
  const answers = { ...usual };
  const handlers: ServerRequestHandlers = {
    roots: () => answers.roots,
    createMessage: (request) => {
      seen.samplings.push(request);
      return Promise.resolve({
        role: 'assistant',
        model: 'interop-model',
        stopReason: 'endTurn',
        content: { type: 'text', text: 'sampled text' },
      });
    },
    elicit: (request, signal) => {
      seen.elicitations.push(request);
      return answers.elicit(request, signal);
    },
  };
  const validator = new SchemaValidator(patientLimits);
  const session = await McpSession.open((fallback) => oracle.wrap(open(fallback)), {
    client: { name: 'mcp-deck-interop', version: '1.0.0' },
    handlers,
    listener: {
      onListChanged: (kind) => void seen.listChanges.push(kind),
      onResourceUpdated: (uri) => void seen.updates.push(uri),
      onLog: (message) => void seen.logs.push(message),
      onWarning: (line) => void seen.warnings.push(line),
      onStderr: (line) => void seen.stderr.push(line),
      onTaskStatus: (task) => void seen.taskStatuses.push(task),
      onElicitationComplete: (id) => void seen.completedElicitations.push(id),
    },
    checkOutput: (schema, value) => validator.check(schema, value).problems.map(({ message }) => message),
    ...options,
  });
  const forget = () => {
    for (const list of Object.values(seen)) (list as unknown[]).length = 0;
    Object.assign(answers, usual);
  };
  return { session, oracle, seen, answers, until, forget };
}
