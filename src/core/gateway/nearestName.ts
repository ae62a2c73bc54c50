import { editDistance } from '../base/editDistance.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';

/** Maximum number of characters that may differ. */
const maxDistance = 3;

/** The name that is most similar to a mistyped one; undefined if none is similar. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance - 1);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The error for an unknown name, with the most similar one. */
export function unknownItem(kind: 'tool' | 'prompt', name: string, names: Iterable<string>): ProtocolError {
  const near = nearestName(name, names);
  return new ProtocolError(
    ErrorCode.invalidParams,
    `There is no ${kind} "${name.slice(0, 100)}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
  );
}
