/**
 * The state of a server's authorization as a tagged union. Pure functions. Each state that uses tokens contains them
 * and whether the server has refused them.
 */
import type { HostError } from '../base/hostError.js';
import type { AccountInfo, ServerRecord, StoredAccount } from './serverRecord.js';
import { accountInfo } from './serverRecord.js';

/** The authorization state to show. Contains no secrets. */
export type AuthState =
  /** The server has not requested authorization. */
  | { kind: 'open' }
  | { kind: 'signedIn'; account: AccountInfo }
  | { kind: 'signingIn' }
  /** The user has to sign in; the error says why. */
  | { kind: 'signInNeeded'; error: HostError };

/** The tokens in use: of a stored account, or of a grant without a user. */
export interface HeldTokens {
  readonly account: StoredAccount;
  readonly info: AccountInfo;
  /** The time until which the tokens count as fresh, on the authorizer's clock. Absent if they are not fresh. */
  readonly freshUntil?: number;
  /**
   * Set if the server refused the access token. `whenFresh` means that the token had just been issued, so a new one
   * would be refused as well.
   */
  readonly refusal?: 'refused' | 'whenFresh';
}

/** Tokens that were just issued, with the stored record of their server. */
export interface SignedIn {
  record: ServerRecord;
  account: StoredAccount;
}

export type AuthorizationState =
  /** The store has not been read yet. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'open' }
  | { readonly kind: 'signedIn'; readonly held: HeldTokens }
  /** `held` contains the previous tokens, which stay in use until new ones arrive. */
  | { readonly kind: 'signingIn'; readonly held?: HeldTokens | undefined }
  | { readonly kind: 'signInNeeded'; readonly error: HostError; readonly held?: HeldTokens | undefined };

/** The tokens in use; undefined if there are none. */
export function heldIn(state: AuthorizationState): HeldTokens | undefined {
  return 'held' in state ? state.held : undefined;
}

/** A copy of the state with these tokens; the same state if its kind has no tokens. */
export function withHeld(state: AuthorizationState, held: HeldTokens): AuthorizationState {
  return 'held' in state ? { ...state, held } : state;
}

/**
 * The state after a read of the store.
 * @param account the account in use, as it is stored now; undefined if there is none.
 * @param signedOut creates the error for an account that is no longer stored.
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
  // If the server refused the tokens, or a running sign-in will replace them, a change to the stored tokens does not
  // change the kind of the state.
  return isSame && (held.refusal !== undefined || state.kind === 'signingIn')
    ? withHeld(state, held)
    : { kind: 'signedIn', held };
}

/** The part of a state that may be shown. */
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
