import type { OpenBrowser } from '../../src/core/auth/authorizationFlow.js';

/**
 * A browser and its user, who signs in with any name and agrees: cookies, redirects and HTML forms over real sockets.
 */
export class FormBrowser {
  /** Number of times that it was opened. */
  opened = 0;
  private readonly cookies = new Map<string, string>();

  /** @param login the name typed into the form of the issuer. */
  constructor(private readonly login: string) {}

  readonly open: OpenBrowser = async (url) => {
    this.opened++;
    await this.follow(url);
    return true;
  };

  private async follow(start: string): Promise<void> {
    let url = start;
    let form: URLSearchParams | undefined;
    for (let step = 0; step < 20; step++) {
      const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie },
        ...(form ? { method: 'POST', body: form } : {}),
      });
      for (const text of response.headers.getSetCookie()) this.keep(text);
      const location = response.headers.get('location');
      const page = await response.text();
      form = undefined;
      if (location !== null) url = new URL(location, url).href;
      else {
        const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
        const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
        // The last page is our own, which reports that the sign-in is complete.
        if (action === undefined || prompt === undefined) return;
        url = new URL(action, url).href;
        form = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: this.login, password: 'any' } : {}) });
      }
    }
    throw new Error(`The sign-in did not end; the last page was ${url}.`);
  }

  private keep(text: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) this.cookies.set(name, value);
  }
}
