import type { Clock } from '../base/clock.js';
import type { LogMessage, LoggingLevel } from '../protocol/mcp.js';
import { loggingLevels } from '../protocol/mcp.js';
import type { CallOrigin } from './callOrigins.js';
import { CallOrigins } from './callOrigins.js';
import type { SessionListener } from './codec.js';
import type { ServerRequestHandlers } from './serverRequests.js';

/**
 * Passes each request of a server to the caller whose call it belongs to, or to the host if that caller is unknown.
 * Passes log messages to the host, and also to the caller if it is known.
 */
export class OriginsOfSession {
  /** The host itself, as the origin of its own calls. */
  readonly ofHost: CallOrigin;
  /** The handlers for the codecs. */
  readonly handlers: ServerRequestHandlers;
  private routed: CallOrigins | undefined;
  /** Set when the era of the server is known. */
  areRequestsNamed = false;

  constructor(
    private readonly hostHandlers: ServerRequestHandlers,
    private readonly clock: Clock,
  ) {
    const ofHost = hostHandlers;
    this.ofHost = { caller: this, handlers: ofHost };
    const { roots, createMessage, elicit } = ofHost;
    this.handlers = {
      ...ofHost,
      ...(roots ? { roots: (signal, key) => (this.current?.roots ?? roots)(signal, key) } : {}),
      ...(createMessage
        ? { createMessage: (request, signal) => (this.current?.createMessage ?? createMessage)(request, signal) }
        : {}),
      ...(elicit ? { elicit: (request, signal) => (this.current?.elicit ?? elicit)(request, signal) } : {}),
    };
  }

  /** Whether a caller other than the host has used the session. Until then, all messages belong to the host. */
  get isUsed(): boolean {
    return this.routed !== undefined;
  }

  get calls(): CallOrigins {
    return (this.routed ??= new CallOrigins(this.clock, this.areRequestsNamed));
  }

  log(message: LogMessage, listener: SessionListener | undefined): void {
    listener?.onLog?.(message);
    this.routed?.current('log')?.onLog?.(message);
  }

  /** The handlers for the requests of the server during the calls of a caller. */
  handlersOf({ handlers }: CallOrigin): ServerRequestHandlers {
    return typeof handlers === 'function' ? handlers(this.hostHandlers) : handlers;
  }

  private get current(): ServerRequestHandlers | undefined {
    const origin = this.routed?.current('request');
    return origin && this.handlersOf(origin);
  }
}

/** The level of the two that includes more messages. Undefined means no messages. */
export function lowerLevel(one: LoggingLevel | undefined, other: LoggingLevel | undefined): LoggingLevel | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return loggingLevels.indexOf(one) < loggingLevels.indexOf(other) ? one : other;
}
