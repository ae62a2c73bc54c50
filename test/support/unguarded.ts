import type { CallConsent } from '../../src/core/consent/callConsent.js';

/** Call consent for programs without a user: allows every call, and stores and logs no decisions. */
export const unguarded: CallConsent = {
  admit: () => Promise.resolve({ finish: () => undefined }),
  refuseEarly: () => undefined,
  changed: () => new Set(),
  onDidChange: () => ({ dispose: () => undefined }),
};
