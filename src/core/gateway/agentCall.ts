import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import type { ToolCallOptions } from '../catalog/hostTypes.js';
import type { ClientCapabilities, Progress } from '../protocol/mcp.js';
import { metaKeys } from '../protocol/mcp.js';
import { canAsk, elicitation, rootsList, sampling } from '../serving/clientRequest.js';
import type { RequestContext } from '../serving/requestContext.js';
import type { CallOrigin } from '../session/callOrigins.js';
import type { ServerRequestHandlers } from '../session/serverRequests.js';

/** Members of `_meta` that belong to the connection of the client, and not to the call. */
const ofConnection: ReadonlySet<string> = new Set([...Object.values(metaKeys), 'progressToken']);

/** Interval between progress reports while the user is asked, ms. Clients time out after 60 seconds or more. */
const reportMs = 10_000;

/** Increment of the progress value while the user is asked: smaller than the increments of servers. */
const smallStep = 1e-6;

/** The user of the window, who answers the requests that a client does not support. */
export interface GatewayUser {
  /** The progress message for clients while the user is asked. */
  waitingText: string;
  clock: Clock;
}

/**
 * The options of a call from a client of the gateway: cancellation, progress, log messages, metadata, and the handlers
 * of the server's requests. The client answers these requests, or the user if the client does not support them.
 * @param isUnattended see `CallOptions`.
 * @param user absent if there is no window; requests that the client cannot answer are then refused.
 */
export function agentCall(
  context: RequestContext,
  client: string,
  isUnattended: boolean,
  user?: GatewayUser,
): ToolCallOptions {
  const ownHandlers: ServerRequestHandlers = {
    roots: (signal, key) => context.listRoots(key, signal),
    createMessage: (request, signal, key) => context.sample(request, key, signal),
    elicit: (request, signal, key) => context.elicit(request, key, signal),
  };
  const meta = Object.keys(context.meta).filter((key) => !ofConnection.has(key));
  const progress = new CallProgress(context, user);
  const origin: CallOrigin = {
    caller: context.peer,
    life: context.life,
    logLevel: context.logLevel,
    onLog: ({ level, data, logger }) => context.log(level, data, logger),
    capabilities: user ? undefined : askable(context),
    handlers: user ? (ofHost) => withUser(context, ownHandlers, ofHost, client, progress) : ownHandlers,
  };
  const options: ToolCallOptions = {
    caller: 'agent',
    client,
    isUnattended,
    signal: context.signal,
    origin,
    onProgress: (reported) => progress.report(reported),
    onAsk: (isWaiting) => progress.setWaiting(isWaiting),
    onOutputProblems: () => undefined,
  };
  if (meta.length > 0) options.meta = Object.fromEntries(meta.map((key) => [key, context.meta[key]]));
  return options;
}

/**
 * The origin of calls of an agent that answers no requests of servers: these requests go to the user, with the name of
 * the agent.
 * @param caller identifies the agent; see `CallOrigin`.
 */
export function answeredByUser(caller: object, client: string): CallOrigin {
  return {
    caller,
    handlers: (ofHost) => {
      const { createMessage, elicit } = ofHost;
      return {
        ...ofHost,
        ...(createMessage
          ? { createMessage: (request, signal, key) => createMessage(request, signal, key, client) }
          : {}),
        ...(elicit ? { elicit: (request, signal, key) => elicit(request, signal, key, client) } : {}),
      };
    },
  };
}

/** The requests that servers may send to this client. An empty `elicitation` means form mode, as in older revisions. */
function askable({
  clientCapabilities: { roots, sampling: model, elicitation: form },
}: RequestContext): ClientCapabilities {
  const capabilities: ClientCapabilities = {};
  if (isObject(roots)) capabilities.roots = {};
  if (isObject(model)) capabilities.sampling = model;
  if (isObject(form)) capabilities.elicitation = isObject(form.url) ? form : { form: {} };
  return capabilities;
}

/** The handlers of the client for the requests that it supports, and the handlers of the host for all others. */
function withUser(
  { clientCapabilities: supported, revision }: RequestContext,
  own: ServerRequestHandlers,
  ofHost: ServerRequestHandlers,
  client: string,
  progress: CallProgress,
): ServerRequestHandlers {
  const { createMessage, elicit } = ofHost;
  return {
    ...ofHost,
    ...(canAsk(rootsList(), supported) ? { roots: own.roots } : {}),
    createMessage: (request, signal, key) =>
      createMessage && !canAsk(sampling(request), supported)
        ? progress.whileWaiting(createMessage(request, signal, key, client))
        : answered(own.createMessage?.(request, signal, key)),
    elicit: (request, signal, key) =>
      elicit && !canAsk(elicitation(request, revision), supported)
        ? progress.whileWaiting(elicit(request, signal, key, client))
        : answered(own.elicit?.(request, signal, key)),
  };
}

function answered<T>(answer: Promise<T> | undefined): Promise<T> {
  return answer ?? Promise.reject(new Error('There is no handler for this request.'));
}

/** Reports the progress of the server, and keeps the client from timing out while the user is asked. */
class CallProgress {
  private last = 0;
  private waiting = 0;
  private timer: Disposable | undefined;

  constructor(
    private readonly context: RequestContext,
    private readonly user: GatewayUser | undefined,
  ) {}

  report(progress: Progress): void {
    this.last = Math.max(this.last, progress.progress);
    this.context.progress(progress);
  }

  setWaiting(isWaiting: boolean): void {
    this.waiting += isWaiting ? 1 : -1;
    this.timer?.dispose();
    if (this.user && this.waiting > 0) this.remind(this.user);
  }

  async whileWaiting<T>(work: Promise<T>): Promise<T> {
    this.setWaiting(true);
    try {
      return await work;
    } finally {
      this.setWaiting(false);
    }
  }

  private remind(user: GatewayUser): void {
    this.last += smallStep;
    this.context.progress({ progress: this.last, message: user.waitingText });
    this.timer = user.clock.after(reportMs, () => this.remind(user));
  }
}
