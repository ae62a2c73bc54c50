/**
 * Chooses how the browser's response reaches this window. If the extension runs on the user's machine, the browser
 * contacts a loopback address (RFC 8252 section 7.3). If it runs elsewhere, the editor delivers the response or
 * forwards the port.
 */
import { visibleLine } from '../base/hostileText.js';
import { parsedUrl } from '../base/parsedUrl.js';
import type { LoopbackReceiver } from './loopbackReceiver.js';
import type { PendingRedirect, RedirectReceiver, RedirectRequest } from './redirectReceiver.js';
import { UnusableRedirect } from './redirectReceiver.js';

/** How the user's browser and this window can reach each other. */
export interface BrowserPorts {
  /**
   * Where the browser runs.
   * - `here`: on the machine of the extension.
   * - `forwarded`: on another machine, to which the editor forwards ports.
   * - `web`: the window itself is a page in that browser.
   */
  place: 'here' | 'forwarded' | 'web';
  /**
   * The address at which the browser reaches a loopback address of this machine; the editor may forward a port for it.
   */
  toBrowser(loopbackUri: string): Promise<string>;
  /** The redirect URI that the editor itself receives for this window. */
  editorUri(): Promise<string>;
}

export class WindowReceiver implements RedirectReceiver {
  constructor(
    private readonly loopback: LoopbackReceiver,
    private readonly editor: RedirectReceiver,
    private readonly browser: BrowserPorts,
  ) {}

  /**
   * Starts waiting for the response. Rejects with UnusableRedirect if responses to the client's registered redirect URI
   * would not arrive here.
   */
  async open(request: RedirectRequest): Promise<PendingRedirect> {
    const { redirectUri, isFixed = false } = request;
    const isLocal = this.browser.place === 'here';
    if (!isFixed || redirectUri === undefined) return isLocal ? this.loopback.open(request) : this.editor.open(request);
    if (isLoopback(redirectUri) || (isLocal && isIPv6Loopback(redirectUri)))
      return isLocal ? this.loopback.open(request) : this.openForwarded(request, redirectUri);
    const own = await this.browser.editorUri();
    if (redirectUri === own) return this.editor.open(request);
    const usable = isLocal ? 'a loopback address such as http://127.0.0.1:8123/callback' : shown(own);
    throw new UnusableRedirect(
      `this window receives no responses at "redirectUri" (${shown(redirectUri)}); use ${usable} instead`,
    );
  }

  /** Listens before the port is forwarded, so that no other program on this machine can receive the response. */
  private async openForwarded(request: RedirectRequest, redirectUri: string): Promise<PendingRedirect> {
    const pending = await this.loopback.open(request);
    try {
      const reached = await this.browser.toBrowser(redirectUri);
      if (isSamePlace(reached, redirectUri) && (await this.sharesLoopback())) return pending;
      const other = isSamePlace(reached, redirectUri) ? '' : `, which the browser reaches at ${shown(reached)}`;
      throw new UnusableRedirect(
        `"redirectUri" (${shown(redirectUri)}) is on the machine of the browser, not on the machine of MCP Deck${other}; use ${shown(await this.browser.editorUri())} instead`,
      );
    } catch (error) {
      pending.dispose();
      throw error;
    }
  }

  /**
   * Whether the browser can reach loopback addresses of this machine unchanged. If the window is a web page, the editor
   * may not forward ports, so this is true only if the page and the extension run on the same machine.
   */
  private async sharesLoopback(): Promise<boolean> {
    return this.browser.place !== 'web' || isLoopback(await this.browser.editorUri());
  }
}

/** Whether an `http:` URL refers to the browser's own machine (loopback). */
function isLoopback(uri: string): boolean {
  const url = parsedUrl(uri);
  return url?.protocol === 'http:' && (url.hostname === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(url.hostname));
}

/**
 * Whether a URL contains the IPv6 loopback address. The editor forwards ports only to the IPv4 address, so such a URL
 * works only if the browser runs on this machine.
 */
function isIPv6Loopback(uri: string): boolean {
  const url = parsedUrl(uri);
  return url?.protocol === 'http:' && url.hostname === '[::1]';
}

/**
 * Whether two loopback addresses are equivalent: the same port and path. The host may differ between `localhost` and
 * `127.0.0.1`.
 */
function isSamePlace(one: string, other: string): boolean {
  if (!isLoopback(one) || !isLoopback(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  return a.port === b.port && a.pathname === b.pathname;
}

function shown(uri: string): string {
  return visibleLine(uri.split('?', 1)[0] ?? '', 120);
}
