import type { BrowserRequest, OpenBrowser } from '../../src/core/auth/authorizationFlow.js';
import type { AuthLock } from '../../src/core/auth/authLock.js';
import { LocalLock } from '../../src/core/auth/authLock.js';
import { LoopbackReceiver } from '../../src/core/auth/loopbackReceiver.js';
import type { OAuthAuthorizerOptions } from '../../src/core/auth/oauthOptions.js';
import { OAuthAuthorizer } from '../../src/core/auth/oauthAuthorizer.js';
import { askingWhenRefused } from '../../src/core/auth/signInQuestions.js';
import type { SignInTrace } from '../../src/core/auth/signInTrace.js';
import { TokenStore } from '../../src/core/auth/tokenStore.js';
import { MemorySecrets } from './memorySecrets.js';

/** A browser and its user, who agrees to everything or does what `next` says. */
export class FakeBrowser {
  /** The request and URL of each opening, oldest first. */
  readonly shown: (BrowserRequest & { url: string })[] = [];
  /** `decline`: the user refuses. `ignore`: the user opens the page and never answers. */
  next: 'agree' | 'decline' | 'ignore' = 'agree';

  readonly open: OpenBrowser = async (url, request) => {
    this.shown.push({ ...request, url });
    if (this.next === 'decline') return false;
    if (this.next === 'ignore') return true;
    const location = (await fetch(url, { redirect: 'manual' })).headers.get('location');
    // An error page: the user sees it, and no redirect comes back.
    if (location !== null) await fetch(location);
    return true;
  };
}

/** The authorizer of one window, with all its parts. */
export interface TestWindow {
  authorizer: OAuthAuthorizer;
  browser: FakeBrowser;
  store: TokenStore;
  secrets: MemorySecrets;
  /** The steps of the latest sign-in or token request. */
  steps: () => SignInTrace['steps'];
}

/** Opens a window. Windows with the same `secrets` belong to one user. */
export function openWindow(
  options: Partial<OAuthAuthorizerOptions> & { serverUrl: string },
  secrets = new MemorySecrets(),
  lock: AuthLock = new LocalLock(),
): TestWindow {
  const browser = new FakeBrowser();
  const store = new TokenStore(secrets, lock);
  const authorizer = new OAuthAuthorizer({
    serverName: 'github',
    store,
    signIn: { openBrowser: browser.open, receiver: new LoopbackReceiver() },
    ...options,
  });
  let newest: SignInTrace | undefined;
  authorizer.onDidBeginTrace((trace) => (newest = trace));
  return { authorizer, browser, store, secrets, steps: () => newest?.steps ?? [] };
}

/**
 * Sends one request as a transport does: gets headers, reports refusals, repeats when told to. Returns the final
 * status.
 */
export async function call(authorizer: OAuthAuthorizer, url: string, method = 'POST'): Promise<number> {
  for (let round = 0; ; round++) {
    const headers = await authorizer.headers({ method, url });
    const response = await fetch(url, { method, headers });
    await response.arrayBuffer();
    const { status } = response;
    if ((status !== 401 && status !== 403) || round >= 8) return status;
    const value = response.headers.get('www-authenticate');
    const again = await authorizer.handleChallenge({
      status,
      url,
      method,
      wwwAuthenticate: value === null ? [] : [value],
      dpopNonce: response.headers.get('dpop-nonce') ?? undefined,
      sentHeaders: headers,
    });
    if (!again) return status;
  }
}

/** The same for a request of the user: refusals lead to questions, as in a window. */
export function callAsUser(authorizer: OAuthAuthorizer, url: string, method = 'POST'): Promise<number> {
  return askingWhenRefused(() => call(authorizer, url, method), {
    mayAsk: () => true,
    signIn: (options) => authorizer.signIn(options),
  });
}
