import type { AuthLock } from './authLock.js';
import type { OpenBrowser } from './authorizationFlow.js';
import type { AskClient } from './personSignIn.js';
import type { RedirectReceiver } from './redirectReceiver.js';
import type { AuthSecretStore } from './tokenStore.js';

/** The services that the OAuth sign-in uses, provided by the program that runs the host. */
export interface SignInPorts {
  /** Stores tokens and registrations. */
  secrets: AuthSecretStore;
  /** Allows one window at a time to renew a token. */
  lock: AuthLock;
  openBrowser: OpenBrowser;
  receiver: RedirectReceiver;
  askClient: AskClient;
}
