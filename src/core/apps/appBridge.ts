/**
 * The host's end of the connection to an app (MCP Apps 2026-01-26, "Communication Protocol"): JSON-RPC, in which the
 * app sends nearly all requests. The app is untrusted: every field is validated here, calls are limited, unknown
 * methods are refused, and only responses are sent before the app has initialized. `AppHost` handles the requests and
 * asks for consent (security requirement V8).
 */
import { maxMessageLength } from '../../shared/app/appPage.js';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { isObject, isStringArray } from '../base/guards.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { LatestValue } from '../base/latestValue.js';
import { Sequencer } from '../base/sequencer.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import { notJson, parseMessage } from '../protocol/parseMessage.js';
import { JsonRpcPeer } from '../protocol/jsonRpcPeer.js';
import type { CallToolResult, Implementation, LogMessage, Progress, ReadResourceResult } from '../protocol/mcp.js';
import { readLogMessage } from '../protocol/mcp.js';
import type { OfferedFile, AppModelContext } from './appParameters.js';
import { readOfferedFiles, invalid, maxUrlLength, messageText, modelContext, textParameter } from './appParameters.js';
import { AppRoom } from './appRoom.js';
import { appsRevision } from './toolApp.js';

export const displayModes = ['inline', 'fullscreen'] as const;
/**
 * How an app is displayed. `inline` is within a page, at the height that the app requests. `fullscreen` uses all the
 * available space.
 */
export type DisplayMode = (typeof displayModes)[number];

/** The lists that an app can request from its own server. */
const appLists = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const;
export type AppList = (typeof appLists)[keyof typeof appLists];

/** The environment of an app. If a method rejects, the app gets an error response. A ProtocolError keeps its code. */
export interface AppHost {
  /** The current `hostContext`. */
  context(): Record<string, unknown>;
  capabilities(): Record<string, unknown>;
  info: Implementation;
  /** Runs a tool of the app's own server. @param onProgress receives progress reports. */
  callTool(
    call: { name: string; arguments: Record<string, unknown> },
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<CallToolResult>;
  readResource(uri: string, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<ReadResourceResult>;
  list(what: AppList): Promise<readonly unknown[]>;
  /** Opens a link; resolves to false if the user declined. */
  openLink(url: string): Promise<boolean>;
  sendMessage(text: string): Promise<boolean>;
  updateModelContext(context: AppModelContext): Promise<boolean>;
  /** Saves files where the user chooses. */
  downloadFiles(files: readonly OfferedFile[], signal: AbortSignal): Promise<boolean>;
  /** Requests a display mode. Returns the mode that applies after the request. */
  requestDisplayMode(mode: DisplayMode): DisplayMode;
  log(message: LogMessage): void;
  /** Called when the app asks to be closed. */
  endRequested(): void;
  warn(line: string): void;
}

/**
 * The error code for a request that the user or a limit refused, or that failed with a HostError. MCP Apps lets hosts
 * choose the code.
 */
export const refusedCode = -32_000;

const maxNameLength = 1_000;
/** Maximum length of the arguments of a tool call of an app as JSON, in characters. */
const maxArgumentsLength = 1024 * 1024;
/** Maximum number of concurrent tool calls of an app. */
const maxOpenCalls = 4;
/** Maximum number of tool calls of an app per minute. */
const maxCallsPerMinute = 60;
const teardownMs = 1_000;
/** Minimum interval between two progress reports to the app, ms; reports in between are dropped. */
const progressPauseMs = 100;

export class AppBridge {
  private readonly peer: JsonRpcPeer;
  private readonly clock: Clock;
  private state: 'new' | 'initialized' | 'ready' = 'new';
  /** Messages to send once the app has initialized, oldest first. */
  private waiting: { method: string; params: Params }[] = [];
  private modes: readonly string[] | undefined;
  private readonly room = new AppRoom();
  /** A file is in memory until the user has answered, so there is one download at a time. */
  private readonly downloads = new Sequencer();
  private openCalls = 0;
  private callTimes: number[] = [];

  /** @param post sends one JSON text to the app. */
  constructor(
    private readonly host: AppHost,
    post: (text: string) => void,
    { clock = systemClock }: { clock?: Clock } = {},
  ) {
    this.clock = clock;
    this.peer = new JsonRpcPeer(
      {
        send: ({ text }) => {
          this.room.sent(text.length);
          post(text);
        },
        abandon: () => undefined,
        onRequest: (method, params, signal) => this.answer(method, params, signal),
        onNotification: (method, params) => this.hear(method, params),
        onWarning: (line) => host.warn(line),
      },
      { clock },
    );
  }

  /** Receives the JSON text of one message of the app. */
  receive(text: string): void {
    let message: unknown;
    try {
      message = parseMessage(text, maxMessageLength);
    } catch (error) {
      this.host.warn(`A message of the app was dropped: ${messageOf(error)}`);
      return;
    }
    if (message === notJson) {
      this.host.warn('The app sent a message that is not JSON.');
      return;
    }
    // Batches are dropped, because no revision with apps has batches.
    if (isObject(message)) this.peer.receive(message);
  }

  /** Called when the app has taken messages of this length, in characters. */
  taken(length: number): void {
    this.room.taken(length);
  }

  /** Sends the arguments of the tool call that the app displays. Call this method once, before the result is sent. */
  showInput(values: Record<string, unknown>): void {
    this.tell('ui/notifications/tool-input', { arguments: values });
  }

  showResult(result: CallToolResult): void {
    this.tell('ui/notifications/tool-result', result as unknown as Params);
  }

  /** Tells the app that its tool call ended without a result. */
  showCancelled(reason: string): void {
    this.tell('ui/notifications/tool-cancelled', { reason });
  }

  /** Sends changed fields of the host context, but not before the handshake, which sends the whole context. */
  contextChanged(fields: Record<string, unknown>): void {
    if (this.state !== 'new') this.tell('ui/notifications/host-context-changed', fields);
  }

  /** Tells the app that a list of the server has changed. */
  listChanged(method: 'notifications/tools/list_changed' | 'notifications/resources/list_changed'): void {
    if (this.state === 'ready') this.tell(method, {});
  }

  /** Asks the app to clean up. Resolves when the app has finished, or after one second. */
  async teardown(): Promise<void> {
    if (this.state !== 'ready') return;
    await this.peer
      .request('ui/resource-teardown', {}, { timeoutMs: teardownMs, maxTotalMs: teardownMs })
      .catch((error: unknown) => this.host.warn(`The app did not close normally: ${messageOf(error)}`));
  }

  /** Ends all open requests. Afterward, no message is sent, and received messages are ignored. */
  close(): void {
    this.waiting = [];
    this.peer.end(new HostError('closed', 'The app was closed.', { data: { why: 'app' } }));
  }

  private tell(method: string, params: Params): void {
    if (this.state === 'ready') this.peer.notify(method, params);
    else this.waiting.push({ method, params });
  }

  private hear(method: string, params: Params): void {
    switch (method) {
      case 'ui/notifications/initialized': {
        if (this.state !== 'initialized') return;
        this.state = 'ready';
        for (const { method: name, params: body } of this.waiting.splice(0)) this.peer.notify(name, body);
        return;
      }
      case 'notifications/message': {
        const message = readLogMessage(params);
        if (message) this.host.log(message);
        return;
      }
      case 'ui/notifications/request-teardown':
        return this.host.endRequested();
      default:
      // Unknown notifications are ignored (JSON-RPC 2.0 section 4.1).
    }
  }

  private async answer(method: string, params: Params, signal: AbortSignal): Promise<Result> {
    if (method === 'ping') return {};
    if (method === 'ui/initialize')
      return this.state === 'new' ? this.initialize(params) : this.room.inTurn(async () => this.initialize(params));
    if (!isKnown(method))
      throw new ProtocolError(
        ErrorCode.methodNotFound,
        `MCP Deck does not support the method "${visibleLine(method, 120)}".`,
      );
    if (this.state === 'new')
      throw new ProtocolError(ErrorCode.invalidRequest, 'The first request must be "ui/initialize".');
    try {
      return await this.perform(method, params, signal);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      // The message of a HostError describes the failure in a sentence. Other errors are internal, so their messages
      // are not sent.
      if (error instanceof HostError) throw new ProtocolError(refusedCode, error.message);
      throw error;
    }
  }

  private initialize(params: Params): Result {
    const { appCapabilities } = params;
    const modes = isObject(appCapabilities) ? appCapabilities['availableDisplayModes'] : undefined;
    this.modes = isStringArray(modes) ? modes : undefined;
    if (this.state === 'new') this.state = 'initialized';
    return {
      protocolVersion: appsRevision,
      hostInfo: this.host.info,
      hostCapabilities: this.host.capabilities(),
      hostContext: this.host.context(),
    };
  }

  private async perform(method: KnownMethod, params: Params, signal: AbortSignal): Promise<Result> {
    const { host } = this;
    switch (method) {
      case 'tools/call':
        return (await this.callTool(params, signal)) as unknown as Result;
      case 'resources/read':
        return this.room.inTurn(() => this.readResource(params, signal));
      case 'tools/list':
      case 'resources/list':
      case 'resources/templates/list':
      case 'prompts/list':
        return this.room.inTurn(async () => ({ [appLists[method]]: await host.list(appLists[method]) }));
      case 'ui/open-link':
        return done(await host.openLink(textParameter(params, 'url', maxUrlLength)), 'The user did not open the link.');
      case 'ui/message':
        return done(await host.sendMessage(messageText(params)), 'The user did not send the message.');
      case 'ui/update-model-context':
        return done(
          await host.updateModelContext(modelContext(params)),
          'The user does not allow the app to provide context for the model.',
        );
      case 'ui/download-file':
        return this.downloads.run(async () => {
          signal.throwIfAborted();
          const isSaved = await host.downloadFiles(readOfferedFiles(params['contents']), signal);
          return done(isSaved, 'The user did not save the file.');
        });
      case 'ui/request-display-mode':
        return { mode: host.requestDisplayMode(this.modeOf(params['mode'])) };
    }
  }

  private async readResource(params: Params, signal: AbortSignal): Promise<Result> {
    const uri = textParameter(params, 'uri', maxUrlLength);
    signal.throwIfAborted();
    const read = await this.reporting(params, (onProgress) => this.host.readResource(uri, signal, onProgress));
    return read as unknown as Result;
  }

  private async callTool(params: Params, signal: AbortSignal): Promise<CallToolResult> {
    const name = textParameter(params, 'name', maxNameLength);
    const { arguments: values = {} } = params;
    if (!isObject(values)) throw invalid('"arguments" is not an object');
    if (JSON.stringify(values).length > maxArgumentsLength)
      throw invalid(`"arguments" has more than ${maxArgumentsLength} characters`);
    const now = this.clock.now();
    this.callTimes = this.callTimes.filter((time) => now - time < 60_000);
    if (this.openCalls >= maxOpenCalls)
      throw new ProtocolError(
        refusedCode,
        `An app can have at most ${maxOpenCalls} tool calls in progress. Wait until one of them ends.`,
      );
    if (this.room.isFull)
      throw new ProtocolError(
        refusedCode,
        'The app has not received the earlier answers yet. Wait before the next call.',
      );
    if (this.callTimes.length >= maxCallsPerMinute)
      throw new ProtocolError(
        refusedCode,
        `An app can call tools at most ${maxCallsPerMinute} times per minute. Wait before the next call.`,
      );
    this.callTimes.push(now);
    this.openCalls++;
    try {
      return await this.reporting(params, (onProgress) =>
        this.host.callTool({ name, arguments: values }, signal, onProgress),
      );
    } finally {
      this.openCalls--;
    }
  }

  /**
   * Sends progress to the app while its request runs, if the request has a progress token (specification 2025-11-25,
   * progress).
   */
  private async reporting<T>(
    params: Params,
    work: (onProgress: (progress: Progress) => void) => Promise<T>,
  ): Promise<T> {
    const token = isObject(params['_meta']) ? params['_meta']['progressToken'] : undefined;
    if (typeof token !== 'string' && typeof token !== 'number') return work(() => undefined);
    const reports = new LatestValue<Progress>(
      this.clock,
      (sentCount) => (sentCount === 0 ? 0 : progressPauseMs),
      (progress) => {
        if (!this.room.isFull) this.tell('notifications/progress', { progressToken: token, ...progress });
      },
    );
    try {
      return await work((progress) => reports.tell(progress));
    } finally {
      reports.dispose();
    }
  }

  /**
   * The display mode for the app. It is `inline` instead of a mode that is unknown, or that is missing from the modes
   * that the app declared. An app that declared no modes supports all of them.
   */
  private modeOf(mode: unknown): DisplayMode {
    const known = displayModes.find((one) => one === mode);
    return known && (this.modes?.includes(known) ?? true) ? known : 'inline';
  }
}

const knownMethods = [
  'tools/call',
  'tools/list',
  'resources/read',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'ui/open-link',
  'ui/message',
  'ui/update-model-context',
  'ui/download-file',
  'ui/request-display-mode',
] as const;
type KnownMethod = (typeof knownMethods)[number];

function isKnown(method: string): method is KnownMethod {
  return (knownMethods as readonly string[]).includes(method);
}

function done(isDone: boolean, otherwise: string): Result {
  if (!isDone) throw new ProtocolError(refusedCode, otherwise);
  return {};
}
