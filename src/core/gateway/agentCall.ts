import { UserError } from '../base/hostError.js';
import type { CallOptions } from '../catalog/hostApi.js';
import { metaKeys } from '../protocol/mcp.js';
import type { RequestContext } from '../serving/requestContext.js';
import type { CallOrigin } from '../session/callOrigins.js';

/** Members of `_meta` that belong to the connection of the client, and not to the call. */
const ofConnection: ReadonlySet<string> = new Set([...Object.values(metaKeys), 'progressToken']);

/**
 * The options of a call that a client of the gateway sends: cancellation, progress, log messages, metadata, and the
 * answers to requests of the server, which come from the client.
 */
export function agentCall(context: RequestContext): CallOptions {
  const origin: CallOrigin = {
    caller: context.peer,
    logLevel: context.logLevel,
    onLog: ({ level, data, logger }) => context.log(level, data, logger),
    handlers: {
      roots: (signal) => context.listRoots(undefined, signal),
      createMessage: (request, signal) => context.sample(request, undefined, signal),
      elicit: (request, signal) => context.elicit(request, undefined, signal),
    },
  };
  const meta = Object.entries(context.meta).filter(([key]) => !ofConnection.has(key));
  return {
    signal: context.signal,
    origin,
    onProgress: (progress) => context.progress(progress),
    ...(meta.length > 0 ? { meta: Object.fromEntries(meta) } : {}),
  };
}

/** An error that the client receives as text, with the reason and what to do. */
export function refusal(text: string): UserError {
  return new UserError(text);
}
