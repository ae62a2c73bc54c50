/**
 * The codec for the stateless era, 2026-07-28 and later: no handshake; every request contains revision, client and
 * capabilities in `_meta`; servers ask through `input_required` results instead of requests; changes arrive on a
 * `subscriptions/listen` stream (specification 2026-07-28: basic, basic/patterns/mrtr, basic/patterns/subscriptions,
 * basic/transports).
 */
import { abortSignalOf } from '../base/lightAbort.js';
import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { encodeHeaderValue } from '../protocol/headerEncoding.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { RequestOptions } from '../protocol/pendingRequest.js';
import type { ClientCapabilities, LoggingLevel } from '../protocol/mcp.js';
import { metaKeys, readLogMessage } from '../protocol/mcp.js';
import type { ModernRevision } from '../protocol/revisions.js';
import { isLegacyRevision, isModernRevision, modernRevisions } from '../protocol/revisions.js';
import type { Codec, CodecOptions, CodecRequestOptions } from './codec.js';
import { ListenStream } from './listenStream.js';
import { readCapabilities, readImplementation } from './legacyCodec.js';
import type { ServerIdentity } from './serverIdentity.js';
import { readAnswer, readInstructions } from './serverIdentity.js';
import type { ServerRequestHandlers } from './serverRequests.js';
import { answerInputRequest, clientCapabilities } from './serverRequests.js';
import { SessionRenewal } from './sessionRenewal.js';
import type { InboundHandler, Wire } from './wire.js';

/** Requests that may be answered with `input_required`. */
const mayAskForInput: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Maximum number of rounds of input per request. */
const maxRounds = 10;

/** Pause before a round without new data, ms; prevents a busy loop with the server. */
const idleRoundMs = 250;

/** Maximum number of inputs in one round; if there are more, the request fails. */
const maxInputs = 32;

/** The identity of a server of the modern era. */
export type ModernIdentity = ServerIdentity & { revision: ModernRevision };

/**
 * Sends `server/discover`. Rejects with the received error, which the era probe classifies. An answer without a
 * revision rejects with HostError `handshake-failed`: a server that answers every unknown method with an empty result
 * is a legacy one. If the server refuses the revision (-32022) but names another one that this host supports, the
 * request is repeated once with that revision.
 */
export async function discover(
  wire: Wire,
  options: CodecOptions,
  requestOptions: Pick<RequestOptions, 'signal' | 'timeoutMs' | 'isCancellable'>,
): Promise<ModernIdentity> {
  const ask = (revision: ModernRevision) =>
    wire.peer.request(
      'server/discover',
      { _meta: requestMeta(options, revision) },
      {
        ...requestOptions,
        maxTotalMs: requestOptions.timeoutMs,
        headers: standardHeaders(revision, 'server/discover'),
      },
    );
  let result: Result;
  try {
    result = await ask(modernRevisions[0]);
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== ErrorCode.unsupportedProtocolVersion) throw error;
    const supported =
      isObject(error.data) && Array.isArray(error.data['supported']) ? (error.data['supported'] as unknown[]) : [];
    const other = supported.find(isModernRevision);
    if (other === undefined) throw noCommonRevision(supported, error);
    result = await ask(other);
  }
  const supported = Array.isArray(result['supportedVersions']) ? (result['supportedVersions'] as unknown[]) : [];
  if (supported.length === 0) throw namesNoRevision();
  const common = modernRevisions.find((candidate) => supported.includes(candidate));
  if (common === undefined) throw noCommonRevision(supported);
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  const { instructions } = result;
  return {
    era: 'modern',
    revision: common,
    info: readImplementation(meta[metaKeys.serverInfo] ?? result['serverInfo']),
    capabilities: readCapabilities(result['capabilities'], 'server/discover'),
    ...readInstructions(instructions),
    answer: readAnswer('server/discover', result),
    transportKind: wire.transport.kind,
  };
}

export class ModernCodec implements Codec, InboundHandler {
  readonly era = 'modern';
  private readonly meta: Params;
  private readonly listen: ListenStream;
  /** This era has no sessions. The renewal is used only to detect a server that refuses every request. */
  private readonly renewal: SessionRenewal;

  private constructor(
    private readonly wire: Wire,
    private readonly options: CodecOptions,
    readonly identity: ModernIdentity,
    private readonly clock: Clock,
  ) {
    this.meta = requestMeta(options, identity.revision);
    this.renewal = new SessionRenewal({
      open: () => Promise.resolve(),
      ping: () => this.deliver('server/discover', {}),
      giveUp: (error) => wire.onClose(error),
    });
    this.listen = new ListenStream(
      (params, requestOptions) => this.send('subscriptions/listen', params, requestOptions),
      identity.capabilities,
      options.listener,
      clock,
    );
  }

  get revision(): ModernRevision {
    return this.identity.revision;
  }

  /** Creates the codec for a server whose identity is known. */
  static adopt(wire: Wire, options: CodecOptions, identity: ModernIdentity, clock: Clock): ModernCodec {
    const codec = new ModernCodec(wire, options, identity, clock);
    wire.speaker = codec;
    wire.cancelsByClosing = wire.transport.cancelsByClosing ?? false;
    codec.listen.update();
    return codec;
  }

  async request<T = Result>(
    method: string,
    params: Params | undefined,
    options?: CodecRequestOptions,
    read: (result: Result) => T = (result) => result as T,
  ): Promise<T> {
    let input: Params | undefined;
    for (let round = 0; ; round++) {
      const result = await this.send(method, input ? { ...params, ...input } : (params ?? {}), options);
      const type = result['resultType'];
      // An absent type means `complete`, because servers of an earlier revision do not send it.
      if (type === undefined || type === 'complete' || type === 'task') return read(result);
      if (type !== 'input_required' || !mayAskForInput.has(method)) {
        throw new HostError(
          'invalid-message',
          `The server answered ${method} with a result of the unknown type ${visibleLine(JSON.stringify(type), 40)}.`,
          {
            data: { problem: 'result-type', method, resultType: type },
            hint: 'The server might need an extension that MCP Deck does not support.',
          },
        );
      }
      if (round >= maxRounds) {
        throw new HostError(
          'too-many-rounds',
          `The server asked for input ${maxRounds} times without finishing ${method}.`,
          {
            data: { method, rounds: maxRounds },
          },
        );
      }
      const handlers = options?.handlers ?? this.options.handlers;
      input = await this.answerInput(result, handlers, abortSignalOf(options?.signal));
    }
  }

  setLogLevel(level: LoggingLevel | undefined): Promise<void> {
    if (level === undefined) delete this.meta[metaKeys.logLevel];
    else this.meta[metaKeys.logLevel] = level;
    return Promise.resolve();
  }

  setSubscription(uri: string, isWanted: boolean): Promise<void> {
    return this.listen.setResource(uri, isWanted);
  }

  rootsChanged(): void {
    // Each request that needs roots asks for them, so a change of the roots needs no notification.
  }

  async ping(timeoutMs: number): Promise<void> {
    await this.send('server/discover', {}, { timeoutMs });
  }

  dispose(): void {
    this.listen.dispose();
  }

  private send(method: string, params: Params, options?: CodecRequestOptions): Promise<Result> {
    return this.wire.transport.kind === 'http'
      ? this.renewal.request(() => this.deliver(method, params, options))
      : this.deliver(method, params, options);
  }

  private deliver(method: string, params: Params, options?: CodecRequestOptions): Promise<Result> {
    const meta = options?.asksFor ? this.metaFor(options.asksFor) : this.meta;
    const headers = Object.assign(
      standardHeaders(this.identity.revision, method, options?.name),
      options?.paramHeaders,
    );
    return this.wire.peer.request(method, params, options, undefined, { meta, headers });
  }

  /** The `_meta` of a request for another party, with that party's capabilities instead of the session's. */
  private metaFor({ roots, sampling, elicitation }: ClientCapabilities): Params {
    const { extensions } = this.meta[metaKeys.clientCapabilities] as ClientCapabilities;
    const capabilities: ClientCapabilities = {};
    if (roots) capabilities.roots = {};
    if (sampling) capabilities.sampling = sampling;
    if (elicitation) capabilities.elicitation = elicitation;
    if (extensions) capabilities.extensions = extensions;
    return { ...this.meta, [metaKeys.clientCapabilities]: capabilities };
  }

  /** Answers all inputs of one `input_required` result. The state is returned byte for byte and never inspected. */
  private async answerInput(
    result: Result,
    handlers: ServerRequestHandlers,
    signal: AbortSignal | undefined,
  ): Promise<Params> {
    const { inputRequests, requestState } = result;
    const state = typeof requestState === 'string' ? { requestState } : {};
    const asked = isObject(inputRequests) ? Object.entries(inputRequests) : [];
    if (asked.length === 0) {
      await delay(this.clock, idleRoundMs, signal);
      return state;
    }
    if (asked.length > maxInputs) {
      throw new HostError(
        'invalid-message',
        `The server asked for ${asked.length} inputs at once; the limit is ${maxInputs}.`,
        { data: { problem: 'input-count', count: asked.length, limit: maxInputs } },
      );
    }
    const abort = signal ?? new AbortController().signal;
    const answers = await Promise.all(
      asked.map(async ([key, request]): Promise<[string, unknown]> => {
        if (!isObject(request) || typeof request['method'] !== 'string') {
          throw new HostError(
            'invalid-message',
            `The server asked for the input "${visibleLine(key, 40)}" but did not specify what to ask for.`,
            { data: { problem: 'input-method', subject: key } },
          );
        }
        const params = isObject(request['params']) ? request['params'] : {};
        return [key, await answerInputRequest(request['method'], params, handlers, abort, key)];
      }),
    );
    return { inputResponses: Object.fromEntries(answers), ...state };
  }

  receive(method: string, params: Params): void {
    if (method === 'notifications/message') {
      const message = readLogMessage(params);
      if (message) this.options.listener.onLog?.(message);
      return;
    }
    this.listen.receive(method, params);
  }
}

/** The `_meta` that every request of the modern era contains. */
function requestMeta(options: CodecOptions, revision: ModernRevision): Params {
  const capabilities: ClientCapabilities = clientCapabilities(options.handlers, revision);
  return {
    [metaKeys.protocolVersion]: revision,
    [metaKeys.clientCapabilities]: capabilities,
    [metaKeys.clientInfo]: options.client,
  };
}

/** The HTTP headers that repeat data of the body (specification 2026-07-28, streamable-http). */
function standardHeaders(revision: ModernRevision, method: string, name?: string): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-protocol-version': revision, 'mcp-method': method };
  if (name !== undefined) headers['mcp-name'] = encodeHeaderValue(name);
  return headers;
}

function namesNoRevision(): HostError {
  return new HostError('handshake-failed', "The server's answer to server/discover names no protocol revision.", {
    data: { field: 'supportedVersions', method: 'server/discover' },
  });
}

/** The error for a server without a common revision; `handshake-failed` lets the caller try `initialize`. */
function noCommonRevision(supported: readonly unknown[], cause?: unknown): HostError {
  if (supported.some(isLegacyRevision)) {
    return new HostError(
      'handshake-failed',
      `The server answers server/discover but supports only ${list(supported)}.`,
      {
        data: { theirs: supported },
        cause,
      },
    );
  }
  return new HostError(
    'unsupported-version',
    `The server supports ${list(supported)}. MCP Deck supports only ${modernRevisions.join(', ')} with this handshake.`,
    {
      data: { theirs: supported, ours: modernRevisions },
      hint: 'Update the server, or MCP Deck.',
      cause,
    },
  );
}

function list(values: readonly unknown[]): string {
  return values.length === 0
    ? 'protocol revisions that it does not name'
    : visibleLine(values.map(String).join(', '), 100);
}
