/** The server of a test file: its own host, its answers, and a record of what it sends. */
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { t } from '@vscode/l10n';
import type { ParseError } from 'jsonc-parser';
import { parse } from 'jsonc-parser';
import { nearestName } from '../base/editDistance.js';
import { Emitter, neverEvent } from '../base/event.js';
import { isObject } from '../base/guards.js';
import { HostError, UserError } from '../base/hostError.js';
import { valueCost } from '../base/valueCost.js';
import { visibleLine } from '../base/hostileText.js';
import { visibleName } from '../base/visibleName.js';
import type { ConfigurationText } from '../config/configurationSource.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { McpHost } from '../host/mcpHost.js';
import type { HostPorts } from '../host/ports.js';
import type { McpHostOptions } from '../host/sessionOpener.js';
import type { ToolSwitches } from '../presets/toolSwitches.js';
import type { CreateMessageResult, ElicitResult } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { TestAnswers, TestEra, TestFile } from './testModel.js';

/** A notification of the server. */
export interface SentNotification {
  method: string;
  params: unknown;
}

export interface TestServerOptions {
  test: TestFile;
  era: TestEra;
  /** The ports of the program; answers and the configuration are replaced. */
  ports: HostPorts;
  /** The working directory of servers in files of mcp-assert. */
  folder: string;
  /** The server with all values filled in. */
  definition: Record<string, unknown> | undefined;
  window?: WindowServers | undefined;
  checkOutput: McpHostOptions['checkOutput'];
}

/** The servers of the window in which a file runs, and what the user decided about them. */
export interface WindowServers {
  entries: readonly ServerEntry[];
  /** The tools that are off: by the user, by the definition of the server, or by the active preset. */
  switches: ToolSwitches;
}

/** Maximum number of notifications, and of questions, that are kept for one request. */
const maxKept = 10_000;
/** Maximum memory of the kept notifications of one request, in bytes. */
const maxKeptBytes = 32_000_000;

/** Maximum number of lines of the error output that are kept. */
const maxLines = 200;

export class TestServer {
  readonly host: McpHost;
  /** The name of the server, or its ID in the window, so that rules and disabled tools apply to it. */
  readonly id: string;
  /** The server of the window that the file names. */
  private readonly entry: ServerEntry | undefined;
  notifications: SentNotification[] = [];
  /** The questions of the server since the last request began. */
  asked: string[] = [];
  private readonly received = new Emitter<void>();
  /** The debugger of the next starts. Default: none. */
  debug: DebugPlan | undefined;
  /** Fired after each notification. */
  readonly onDidReceive = this.received.event;
  private earlierLines: readonly string[] = [];
  private answers: TestAnswers = {};
  /** The names of the configured servers; in a window, their IDs. */
  private readonly known: string[] = [];
  private counts = { elicitation: 0, sampling: 0 };
  private keptBytes = 0;

  constructor(private readonly options: TestServerOptions) {
    const { test, window, checkOutput } = options;
    const name = test.server && 'name' in test.server ? test.server.name : undefined;
    const entries = window?.entries ?? [];
    this.entry = entries.find(({ id }) => id === name) ?? entries.find((entry) => entry.name === name);
    this.id = this.entry?.id ?? name ?? 'server';
    this.host = new McpHost(this.ports(), {
      ...(checkOutput ? { checkOutput } : {}),
      // A server that the file defines itself is not in the window, so the user decided nothing about it.
      ...(this.entry && window ? { switches: window.switches } : {}),
    });
  }

  async open(): Promise<void> {
    await this.host.open();
    if (this.entry) this.host.servers.setEnabledOverride(this.id, this.entry.isEnabled);
    const problem = this.host.servers.problems().flatMap(({ problems }) => problems)[0];
    if (problem) throw new UserError(problem.message);
    if (!this.host.servers.get(this.id)) throw new UserError(this.unknownText());
    const slot = this.host.traces.slotOf(this.id);
    const { current } = slot;
    // Messages are still passed on to the previous tap, which keeps the latest messages.
    slot.current = {
      opened: (kind) => current?.opened(kind),
      sent: (text, headers) => current?.sent(text, headers),
      received: (message, text, exchange) => {
        this.record(message);
        current?.received(message, text, exchange);
      },
      unanswered: (id, reason) => current?.unanswered(id, reason),
      unreadable: (text) => current?.unreadable(text),
      closed: (reason) => current?.closed(reason),
    };
  }

  /** Starts the server if it does not run, for example after a crash. */
  async ensureRunning(signal: AbortSignal): Promise<void> {
    if (this.host.servers.get(this.id)?.state.kind === 'running') return;
    this.earlierLines = this.stderr;
    await this.host.lifecycle.start(this.id, { interactive: true, signal, debug: this.debug });
  }

  /** Uses the answers of a case from now on. */
  beginCase(answers: TestAnswers): void {
    this.answers = { ...this.options.test.answers, ...answers };
    this.counts = { elicitation: 0, sampling: 0 };
  }

  beginRequest(): void {
    this.notifications = [];
    this.keptBytes = 0;
    this.asked = [];
  }

  /** The last lines of the error output, including those of instances that ended. */
  get stderr(): readonly string[] {
    return [...this.earlierLines, ...(this.host.servers.get(this.id)?.stderr ?? [])].slice(-maxLines);
  }

  async close(): Promise<void> {
    await this.host.close();
    this.received.dispose();
  }

  private record(message: unknown): void {
    if (!isObject(message) || typeof message['method'] !== 'string' || 'id' in message) return;
    this.keptBytes += valueCost(message, maxKeptBytes);
    if (this.notifications.length >= maxKept || this.keptBytes > maxKeptBytes) return;
    this.notifications.push({ method: message['method'], params: message['params'] });
    this.received.fire();
  }

  private ports(): HostPorts {
    const { ports, test } = this.options;
    const all = [test.answers, ...test.tests.map(({ answers }) => answers ?? {})];
    const rest = { ...ports };
    // Without answers, the client does not declare that it can be asked.
    delete rest.sampler;
    delete rest.elicitor;
    return {
      ...rest,
      configuration: { read: async () => [await this.configuration()], onDidChange: neverEvent },
      roots: {
        roots: () => (this.answers.roots ?? test.answers.roots ?? []).map((root) => ({ uri: uriOf(root) })),
        onDidChange: neverEvent,
      },
      ...(all.some(({ elicitation }) => elicitation)
        ? { elicitor: { elicit: () => Promise.resolve(this.elicit()) } }
        : {}),
      ...(all.some(({ sampling }) => sampling) ? { sampler: { createMessage: async () => this.sample() } } : {}),
    };
  }

  private elicit(): ElicitResult {
    if (this.asked.length < maxKept) this.asked.push('elicitation');
    const { elicitation } = this.answers;
    const answer = elicitation?.[Math.min(this.counts.elicitation++, elicitation.length - 1)];
    if (answer === undefined || answer === 'decline') return { action: 'decline' };
    if (answer === 'cancel') return { action: 'cancel' };
    if (isObject(answer) && isObject(answer['content']) && answer['action'] === 'accept')
      return { action: 'accept', content: answer['content'] };
    return { action: 'accept', content: isObject(answer) ? answer : {} };
  }

  private sample(): CreateMessageResult {
    if (this.asked.length < maxKept) this.asked.push('sampling');
    const { sampling } = this.answers;
    const answer = sampling?.[Math.min(this.counts.sampling++, sampling.length - 1)];
    if (answer === undefined) throw new HostError('cancelled', 'The test has no answer for sampling.');
    const { text, model, stopReason } = isObject(answer) ? answer : { text: answer };
    return {
      role: 'assistant',
      content: { type: 'text', text: String(text) },
      model: typeof model === 'string' ? model : 'mock',
      stopReason: typeof stopReason === 'string' ? stopReason : 'endTurn',
    };
  }

  private unknownText(): string {
    const shown = visibleLine(this.id, 60);
    const nearest = nearestName(this.id, this.known);
    if (nearest !== undefined)
      return t('The server "{0}" is not configured. Did you mean "{1}"?', shown, visibleName(nearest, 60));
    return t('The server "{0}" is not configured. Add it to mcp.json, or write its command here.', shown);
  }

  private async configuration(): Promise<ConfigurationText> {
    const { test, era, folder, ports, definition, window } = this.options;
    const protocol = era === 'auto' ? {} : { protocol: era };
    if (definition) {
      const home = test.format === 'mcptest' ? path.dirname(test.file) : folder;
      const source = {
        id: `mcptest:${test.file}`,
        kind: 'vscode',
        label: path.relative(folder, test.file),
        folderPath: home,
      } as const;
      return { source, value: { [this.id]: { ...definition, ...protocol } } };
    }
    const { entry } = this;
    const name = entry?.name ?? this.id;
    if (window) this.known.push(...window.entries.map(({ id }) => id));
    for (const text of await ports.configuration.read()) {
      if (window && text.source.id !== entry?.source.id) continue;
      const { servers, inputs } = contentOf(text);
      if (!window) this.known.push(...Object.keys(servers));
      const named = Object.hasOwn(servers, name) ? servers[name] : undefined;
      if (isObject(named))
        return { source: text.source, value: { [this.id]: { ...named, ...protocol } }, ...(inputs ? { inputs } : {}) };
    }
    return { source: { id: 'none', kind: 'vscode', label: 'none' }, value: {} };
  }
}

/** The servers and inputs of a source, as written. */
function contentOf(text: ConfigurationText): { servers: Record<string, unknown>; inputs: unknown } {
  const errors: ParseError[] = [];
  const read: unknown =
    'text' in text
      ? parse(text.text, errors, { allowTrailingComma: true })
      : 'value' in text
        ? { servers: text.value, inputs: text.inputs }
        : undefined;
  const { servers, mcpServers, inputs } = isObject(read) ? read : {};
  return {
    servers: { ...(isObject(mcpServers) ? mcpServers : {}), ...(isObject(servers) ? servers : {}) },
    inputs,
  };
}

function uriOf(root: string): string {
  return root.startsWith('file:') ? root : pathToFileURL(root).href;
}
