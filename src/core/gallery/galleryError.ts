import type { HostErrorData } from '../base/hostErrorData.js';
import { HostError } from '../base/hostError.js';

type Facts = Omit<HostErrorData['registry-failed'], 'place'>;

/** The error for a registry that cannot be read. @param place its URL or path, without parts that may be secret. */
export function galleryError(place: string, facts: Facts, cause?: unknown): HostError {
  const detail = facts.detail === undefined ? '' : ` (${facts.detail})`;
  return new HostError('registry-failed', `The registry ${place} could not be read: ${facts.problem}${detail}.`, {
    data: { ...facts, place },
    ...(cause === undefined ? {} : { cause }),
  });
}
