/**
 * What an authorizer knows of a server's authorization, as one tagged state. Pure: the tokens and what the server said of
 * them belong to the state that they are used in.
 */
import type { HostError } from '../base/hostError.js';
import type { AccountInfo, ServerRecord, StoredAccount } from './tokenStore.js';
import { accountInfo } from './tokenStore.js';

/** What to show of a server's authorization. Holds no secrets. */
export type AuthState =
  /** The server has not asked for anything. */
  | { kind: 'open' }
  | { kind: 'signedIn'; account: AccountInfo }
  | { kind: 'signingIn' }
  /** A click is needed; the error says why. */
  | { kind: 'signInNeeded'; error: HostError };

/** The tokens in use: those of an account in the store, or those of a grant without a person. */
export interface HeldTokens {
  readonly account: StoredAccount;
  readonly info: AccountInfo;
  /** When the tokens stop counting as just issued, by the authorizer's clock. Absent: they do not count as just issued. */
  readonly freshUntil?: number;
  /**
   * The server did not accept the access token. `whenFresh`: it had just been issued, so that refreshing it would only
   * repeat the refusal.
   */
  readonly refusal?: 'refused' | 'whenFresh';
}

/** Tokens that were just issued, with what is known of their server. */
export interface SignedIn {
  record: ServerRecord;
  account: StoredAccount;
}

export type AuthorizationState =
  /** The store has not been read yet. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'open' }
  | { readonly kind: 'signedIn'; readonly held: HeldTokens }
  /** `held`: the tokens of before, which stay in use until there are new ones. */
  | { readonly kind: 'signingIn'; readonly held?: HeldTokens | undefined }
  | { readonly kind: 'signInNeeded'; readonly error: HostError; readonly held?: HeldTokens | undefined };

/** The tokens in use in a state; undefined where there are none. */
export function heldIn(state: AuthorizationState): HeldTokens | undefined {
  return 'held' in state ? state.held : undefined;
}

/** The same state with what is now known of its tokens. */
export function withHeld(state: AuthorizationState, held: HeldTokens): AuthorizationState {
  return 'held' in state ? { ...state, held } : state;
}

/**
 * The state after the store was read.
 * @param account the account in use, as the store has it now; undefined when it has none.
 * @param signedOut makes the error for an account that is no longer stored.
 */
export function afterReading(
  state: AuthorizationState,
  record: ServerRecord,
  account: StoredAccount | undefined,
  signedOut: () => HostError,
): AuthorizationState {
  if (!account) {
    if (state.kind === 'unread') return { kind: 'open' };
    if (state.kind === 'signedIn') return { kind: 'signInNeeded', error: signedOut() };
    return 'held' in state ? { ...state, held: undefined } : state;
  }
  const before = heldIn(state);
  const isSame = before?.account.tokens.accessToken === account.tokens.accessToken;
  const held: HeldTokens = { ...(isSame ? before : {}), account, info: accountInfo(record, account) };
  // Tokens that were refused, or are about to be replaced, are no reason to leave the state.
  return isSame && (held.refusal !== undefined || state.kind === 'signingIn')
    ? withHeld(state, held)
    : { kind: 'signedIn', held };
}

/** What may be shown of a state. */
export function shownState(state: AuthorizationState): AuthState {
  switch (state.kind) {
    case 'unread':
    case 'open':
      return { kind: 'open' };
    case 'signedIn':
      return { kind: 'signedIn', account: state.held.info };
    case 'signingIn':
      return { kind: 'signingIn' };
    case 'signInNeeded':
      return { kind: 'signInNeeded', error: state.error };
  }
}
