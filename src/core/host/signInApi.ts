import type { SignInOptions } from '../auth/oauthAuthorizer.js';
import type { SignInTrace } from '../auth/signInTrace.js';
import type { AccountInfo, RegistrationInfo } from '../auth/tokenStore.js';
import type { Event } from '../base/event.js';

/**
 * What a person can do about the sign-in of remote servers. `server` is the id of a server; accounts and registrations
 * belong to its address, so that two entries with one address share them.
 */
export interface SignInApi {
  /**
   * Signs in now, because a person asked for it. Rejects with HostError `cancelled`, `auth-failed`, or as a start
   * does before it connects.
   */
  signIn(server: string, options?: SignInOptions): Promise<AccountInfo>;
  /** Ends a sign-in that waits for the browser; it rejects with `cancelled`. */
  cancel(server: string): void;
  /** Asks the issuer to end the account's tokens, and forgets them; an issuer that does not answer does not keep us. */
  signOut(account: AccountInfo): Promise<void>;
  /** Uses this account from now on; connections stay as they are until they are restarted. */
  select(account: AccountInfo): Promise<void>;
  /** All accounts: of one server, or of every address that was ever signed in to. */
  accounts(server?: string): Promise<AccountInfo[]>;
  /** All client registrations, likewise. */
  registrations(server?: string): Promise<RegistrationInfo[]>;
  /** Forgets what we are registered as; tokens stay. */
  forgetRegistration(registration: RegistrationInfo): Promise<void>;
  /** Where the server signs in, read from its metadata now. Rejects with `auth-failed`. */
  findIssuer(server: string): Promise<string>;
  /** The client to use at an issuer, as its operator gave it to the user. */
  setClient(server: string, issuer: string, client: { clientId: string; clientSecret?: string }): Promise<void>;
  /** Fired with the id of a server when one of its traces grew. */
  readonly onDidTrace: Event<string>;
  /** The newest sign-ins and token requests of a server in this window, oldest first. */
  traces(server: string): readonly SignInTrace[];
  /**
   * Ids of the configured servers that an account or registration is for, as far as they were connected or signed in
   * to in this window.
   */
  serversOf(of: { server: string }): string[];
}
