import { isObject } from '../../base/guards.js';
import type { Redactor } from '../../trace/redactor.js';
import type { TraceLog } from '../../trace/traceLog.js';
import { parsed } from '../../trace/traceMessage.js';

/** A call of a tool in a trace, and its result. Secrets are masked. */
export interface TracedCall {
  tool: string;
  arguments: Record<string, unknown>;
  result: Record<string, unknown>;
}

/**
 * Finds the tool call that a message of a trace belongs to, as its request or as its response. Undefined for other
 * messages, and if the call has no result or was not stored completely.
 */
export function tracedCall(log: TraceLog, seq: number, redactor: Redactor): TracedCall | undefined {
  const chosen = log.get(seq);
  const other = chosen?.pair === undefined ? undefined : log.get(chosen.pair);
  if (!chosen || !other) return undefined;
  const [request, response] = chosen.kind === 'request' ? [chosen, other] : [other, chosen];
  if (request.method !== 'tools/call' || request.direction !== 'sent' || request.cut > 0 || response.cut > 0)
    return undefined;
  const [sent, received] = [request, response].map((entry) => parsed(redactor.entry(entry)));
  const params = isObject(sent) ? sent['params'] : undefined;
  const result = isObject(received) ? received['result'] : undefined;
  if (!isObject(params) || typeof params['name'] !== 'string' || !isObject(result)) return undefined;
  // A round that asks the client for input does not return the result of the call (2026-07-28, basic/patterns/mrtr).
  if (result['resultType'] === 'input_required') return undefined;
  return { tool: params['name'], arguments: isObject(params['arguments']) ? params['arguments'] : {}, result };
}
