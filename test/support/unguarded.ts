import type { CallConsent } from '../../src/core/consent/toolConsent.js';

/** For programs without a person to ask, whose every call is their own: nothing is decided, remembered or written down. */
export const unguarded: CallConsent = {
  admit: () => Promise.resolve({ finish: () => undefined }),
  changed: () => new Set(),
  onDidChange: () => ({ dispose: () => undefined }),
};
