/** The protocol revisions that this host supports, and the era of each (specification: basic/versioning). */

/** Revisions with an `initialize` handshake, newest first. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Stateless revisions, newest first: every request contains its own version and capabilities. */
export const modernRevisions = ['2026-07-28'] as const;

export type LegacyRevision = (typeof legacyRevisions)[number];
export type ModernRevision = (typeof modernRevisions)[number];
export type Revision = LegacyRevision | ModernRevision;

/** `legacy`: up to 2025-11-25, one handshake per connection. `modern`: 2026-07-28 and later, no handshake. */
export type Era = 'legacy' | 'modern';

/** Whether a value is a supported revision of the legacy era. */
export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return (legacyRevisions as readonly unknown[]).includes(value);
}

/** Whether a value is a supported revision of the modern era. */
export function isModernRevision(value: unknown): value is ModernRevision {
  return (modernRevisions as readonly unknown[]).includes(value);
}

/** True when `revision` is `since` or later. Revisions are ISO dates, so they compare as text. */
export function isAtLeast(revision: Revision, since: Revision): boolean {
  return revision >= since;
}
