import type { Clock } from '../base/clock.js';
import type { AuthHttpOptions } from './authHttp.js';
import type { BrowserSignInPorts } from './authorizationFlow.js';
import type { MachineGrant } from './machineGrant.js';
import type { ClientOptions } from './personSignIn.js';
import type { TokenStore } from './tokenStore.js';

/** What the authorizer of one server needs. */
export interface OAuthAuthorizerOptions extends ClientOptions {
  /** The URL of the server: http(s) or ws(s). */
  serverUrl: string;
  /** The name of the server in MCP Deck. */
  serverName: string;
  /** The names of the configured headers. */
  sentHeaders?: readonly string[];
  /** The token store, which all servers share. */
  store: TokenStore;
  /** The sign-in by a user. If it is absent, users cannot sign in. */
  signIn?: Omit<BrowserSignInPorts, 'clock'>;
  /** The grant that obtains tokens without a user. If it is present, the user is never asked and no token is stored. */
  machine?: MachineGrant;
  /** Scopes from the configuration; the scopes of a challenge override them. */
  scopes?: readonly string[];
  /** The account to use. Default: the account that is selected in the store. */
  account?: string;
  http?: AuthHttpOptions;
  clock?: Clock;
  /** Returns milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
}

/** The options of one sign-in. */
export interface SignInOptions {
  /** The account to sign in. A new name adds an account. Default: the account in use. */
  account?: string;
  /** Scopes to request in addition to those that were requested before. */
  scopes?: readonly string[];
  /** Whether the user is signed in and the server requires additional scopes. */
  isStepUp?: boolean;
}
