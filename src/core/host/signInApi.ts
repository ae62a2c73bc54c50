import type { SignInOptions } from '../auth/oauthOptions.js';
import type { SignInTrace } from '../auth/signInTrace.js';
import type { AccountInfo, RegistrationInfo } from '../auth/serverRecord.js';
import type { Event } from '../base/event.js';

/**
 * The user's actions for signing in to remote servers. `server` is the ID of a server. Accounts and registrations
 * belong to its URL, so entries with the same URL share them.
 */
export interface SignInApi {
  /**
   * Signs in now, at the user's request. Rejects with HostError `cancelled` or `auth-failed`, or with an error of the
   * steps that precede a connection.
   */
  signIn(server: string, options?: SignInOptions): Promise<AccountInfo>;
  /** Cancels a sign-in that waits for the browser; the promise of the sign-in rejects with `cancelled`. */
  cancel(server: string): void;
  /** Revokes the tokens of the account at the issuer, and deletes them even if the issuer does not answer. */
  signOut(account: AccountInfo): Promise<void>;
  /** Uses this account from now on. Open connections use it after they are restarted. */
  select(account: AccountInfo): Promise<void>;
  /** All accounts for one server, or all stored accounts. */
  accounts(server?: string): Promise<AccountInfo[]>;
  /** All client registrations for one server, or all stored registrations. */
  registrations(server?: string): Promise<RegistrationInfo[]>;
  /** Deletes the client registration; tokens are kept. */
  forgetRegistration(registration: RegistrationInfo): Promise<void>;
  /** The issuer of the server, read from the server's metadata at the time of the call. Rejects with `auth-failed`. */
  findIssuer(server: string): Promise<string>;
  /** Sets the client to use at an issuer, with the values that its operator gave to the user. */
  setClient(server: string, issuer: string, client: { clientId: string; clientSecret?: string }): Promise<void>;
  /** Fired with the ID of a server when one of its traces has a new step. */
  readonly onDidTrace: Event<string>;
  /** The latest sign-ins and token requests of a server in this window, oldest first. */
  traces(server: string): readonly SignInTrace[];
  /**
   * IDs of the configured servers that an account or registration is for. Includes only servers to which this window
   * has connected or signed in.
   */
  serversOf(of: { server: string }): string[];
}
