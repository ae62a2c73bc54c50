import type { SignInOptions } from '../auth/oauthAuthorizer.js';
import type { SignInTrace } from '../auth/signInTrace.js';
import type { AccountInfo, RegistrationInfo } from '../auth/tokenStore.js';
import type { Event } from '../base/event.js';

/**
 * What the user can do about the sign-in to remote servers. `server` is the ID of a server. Accounts and registrations
 * belong to its URL, so that two entries with the same URL share them.
 */
export interface SignInApi {
  /**
   * Signs in now, at the user's request. Rejects with HostError `cancelled` or `auth-failed`, or with an error of the
   * steps before a connection.
   */
  signIn(server: string, options?: SignInOptions): Promise<AccountInfo>;
  /** Ends a sign-in that waits for the browser; it rejects with `cancelled`. */
  cancel(server: string): void;
  /**
   * Asks the issuer to revoke the account's tokens, and deletes them. An issuer that does not answer does not prevent
   * the deletion.
   */
  signOut(account: AccountInfo): Promise<void>;
  /** Uses this account from now on; existing connections keep theirs until they are restarted. */
  select(account: AccountInfo): Promise<void>;
  /** The accounts of one server, or of all URLs that the user has signed in to. */
  accounts(server?: string): Promise<AccountInfo[]>;
  /** The client registrations of one server, or of all URLs. */
  registrations(server?: string): Promise<RegistrationInfo[]>;
  /** Deletes a client registration; tokens are kept. */
  forgetRegistration(registration: RegistrationInfo): Promise<void>;
  /** The issuer of the server, from its current metadata. Rejects with `auth-failed`. */
  findIssuer(server: string): Promise<string>;
  /** Sets the client to use at an issuer, as the issuer's operator gave it to the user. */
  setClient(server: string, issuer: string, client: { clientId: string; clientSecret?: string }): Promise<void>;
  /** Fired with the ID of a server when one of its traces grew. */
  readonly onDidTrace: Event<string>;
  /** The latest sign-ins and token requests of a server in this window, oldest first. */
  traces(server: string): readonly SignInTrace[];
  /**
   * IDs of the configured servers that an account or registration is for, limited to servers that were connected or
   * signed in to in this window.
   */
  serversOf(of: { server: string }): string[];
}
