import { isObject } from '../base/guards.js';
import type { CallOptions } from '../catalog/hostApi.js';
import type { ClientCapabilities } from '../protocol/mcp.js';
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
    life: context.life,
    logLevel: context.logLevel,
    onLog: ({ level, data, logger }) => context.log(level, data, logger),
    capabilities: askable(context),
    handlers: {
      roots: (signal, key) => context.listRoots(key, signal),
      createMessage: (request, signal, key) => context.sample(request, key, signal),
      elicit: (request, signal, key) => context.elicit(request, key, signal),
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

/** What servers may ask this client for. An empty `elicitation` means forms, because it is older than its modes. */
function askable({ clientCapabilities: { roots, sampling, elicitation } }: RequestContext): ClientCapabilities {
  return {
    ...(isObject(roots) ? { roots: {} } : {}),
    ...(isObject(sampling) ? { sampling } : {}),
    ...(isObject(elicitation) ? { elicitation: isObject(elicitation.url) ? elicitation : { form: {} } } : {}),
  };
}
