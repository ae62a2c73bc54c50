/**
 * The page that contains an app, in the browser of the tests: the page and the guard are real, the test acts as the
 * extension.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { appPolicy, noDomains } from '../../src/core/apps/appPolicy.js';
import type { AppView, ToPage } from '../../src/shared/app/appPage.js';
import { appHtml } from '../../src/vscode/features/apps/appHtml.js';

const origin = 'http://page.test';
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

interface Said {
  name: string;
  body: { text?: string; frame?: number };
}

export class AppPage {
  /** Messages from the page to the extension, oldest first. */
  readonly said: Said[] = [];
  private frames = 0;
  private readonly waiting = new Set<() => void>();

  private constructor(readonly page: Page) {}

  /** @param prepare runs in the page and in each frame, before any other script. */
  static async open(browser: Browser, prepare?: () => void): Promise<AppPage> {
    const page = await browser.newPage();
    const self = new AppPage(page);
    await page.exposeFunction('post', (frame: Said) => self.hear(frame));
    await page.addInitScript(() => {
      if (window !== window.top) return;
      const world = window as unknown as Record<string, unknown>;
      world['acquireVsCodeApi'] = () => ({
        postMessage: world['post'],
        getState: () => undefined,
        setState: () => undefined,
      });
    });
    if (prepare) await page.addInitScript(prepare);
    await page.route(`${origin}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/')
        return route.fulfill({
          contentType: 'text/html',
          body: appHtml(
            {
              cspSource: origin,
              script: '/app.js',
              styles: ['/codicon.css', '/app.css'],
              nonce: 'n',
              language: 'en',
              title: 'App',
            },
            noDomains,
          ),
        });
      return route.fulfill({
        contentType: types[path.extname(pathname)] ?? '',
        body: await readFile(path.resolve('dist/webview', path.basename(pathname))),
      });
    });
    await page.goto(origin);
    await self.heard(({ name }) => name === 'ready');
    return self;
  }

  /**
   * Shows the HTML of a server as an app without declared origins. Resolves with the app's number once it sent
   * `test/begun`.
   */
  async show(html: string, { isClosed = true } = {}): Promise<number> {
    const frame = ++this.frames;
    await this.tell({
      kind: 'app',
      frame,
      html,
      policy: appPolicy(noDomains),
      isClosed,
      hasBorder: false,
      isFilled: false,
    });
    await this.heard(
      ({ name, body }) => name === 'fromApp' && body.frame === frame && body.text?.includes('"test/begun"') === true,
    );
    return frame;
  }

  async tell(view: AppView): Promise<void> {
    await this.notify('show', { bundle: {}, title: 'tool', server: 'server', view, notes: [] });
  }

  /** Sends a notice of the extension to the page. */
  async notify<K extends keyof ToPage['notices']>(name: K, body: ToPage['notices'][K]): Promise<void> {
    const frame = { kind: 'notice', name, body };
    await this.page.evaluate((sent) => window.postMessage(sent, '*'), frame);
  }

  /** Resolves once the page has sent a matching message. */
  async heard(fits: (said: Said) => boolean): Promise<Said> {
    for (;;) {
      const found = this.said.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  private hear(frame: Said): void {
    this.said.push(frame);
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

/** For `AppPage.open`: keeps an app in the page when another one is shown. */
export function keepFrames(): void {
  const replaceChildren: (...nodes: (Node | string)[]) => void = Reflect.get(Element.prototype, 'replaceChildren');
  Element.prototype.replaceChildren = function (...nodes) {
    if (this.matches('.app-body')) this.append(...nodes);
    else Reflect.apply(replaceChildren, this, nodes);
  };
  Element.prototype.remove = () => undefined;
}
