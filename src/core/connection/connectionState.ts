import type { HostError } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';

/** Where a server stands, for everyone who shows or steers it. Times are epoch milliseconds. */
export type ConnectionState =
  | { kind: 'stopped' }
  /** Waiting for the user's approval; `reason` says of what. */
  | { kind: 'needsTrust'; reason: string }
  /** Trusted, but waiting for the user to enter the value of an input; `reason` says which. */
  | { kind: 'needsInput'; reason: string; input: string }
  /** Waiting for the user's sign-in; `error`, an `auth-required`, says what for. */
  | { kind: 'needsSignIn'; error: HostError }
  | { kind: 'starting'; since: number; /** 1 for the first try. */ attempt: number; /** What was noticed so far: why it may not answer. */ remark?: Remark }
  | { kind: 'running'; since: number }
  | { kind: 'stopping' }
  /** `retryAt` is set while an automatic restart is planned. */
  | { kind: 'failed'; error: Error; at: number; retryAt?: number };

/** True while a process or socket may exist. */
export function isLive(state: ConnectionState): boolean {
  return state.kind === 'starting' || state.kind === 'running' || state.kind === 'stopping';
}
