import type { AuthLock } from './authLock.js';
import type { OpenBrowser } from './authorizationFlow.js';
import type { AskClient } from './personSignIn.js';
import type { RedirectReceiver } from './redirectReceiver.js';
import type { AuthSecretStore } from './tokenStore.js';

/** What a sign-in by OAuth needs from the program that runs the host. */
export interface SignInPorts {
  /** Keeps tokens and registrations. */
  secrets: AuthSecretStore;
  /** Lets one window at a time renew a token. */
  lock: AuthLock;
  openBrowser: OpenBrowser;
  receiver: RedirectReceiver;
  askClient: AskClient;
}
