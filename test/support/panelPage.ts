/**
 * The page of the tool panel, in the browser of the tests: a form is drawn, filled and clicked as in a window, and the
 * test acts as the extension.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { formFromSchema, valueToForm } from '../../src/core/formModel.js';
import type { JsonValue } from '../../src/shared/json.js';
import type { Problem } from '../../src/shared/panel/formMessages.js';
import type { FormRequestState } from '../../src/shared/panel/formRequestPage.js';
import type { ItemPageState } from '../../src/shared/panel/itemPage.js';
import { pageHtml } from '../../src/vscode/ui/pageHtml.js';

const origin = 'http://page.test';
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

interface Harness {
  launchBrowser: (options?: object) => Promise<Browser>;
}

export async function startBrowser(): Promise<Browser> {
  const harness = (await import(pathToFileURL(path.resolve('test/harness/browser.mjs')).href)) as Harness;
  return harness.launchBrowser();
}

export interface PanelPageOptions {
  schema: object;
  start?: Record<string, unknown>;
  /** The text typed before the window was reloaded. */
  draft?: Record<string, JsonValue>;
  /** CSS variables of the body, as VS Code sets them; default: a dark theme. */
  classes?: string;
  height?: number;
  /** Translations by English text; default: none. */
  bundle?: Record<string, string>;
  /** Frames wait for `drawFrame`; default: frames run as usual. */
  holdsFrames?: boolean;
  /** The server's description of the tool; default: none. */
  description?: string;
  /** Parts of the state that differ from a plain running tool without history. */
  state?: Partial<ItemPageState>;
  /** Opens the page of a request for a form instead of the tool panel. */
  request?: Partial<FormRequestState>;
  /** The problems of the arguments; default: none. */
  check?: (values: Record<string, unknown>) => Promise<Problem[]> | Problem[];
}

export interface Frame {
  kind: string;
  name: string;
  id?: string;
  body: Record<string, unknown>;
}

export class PanelPage {
  /** Notices of the page, oldest first. */
  readonly said: Frame[] = [];
  /** The page has received the reply to its last request. */
  replied: Promise<void> = Promise.resolve();

  private constructor(
    readonly page: Page,
    private readonly options: PanelPageOptions,
  ) {}

  static async open(browser: Browser, options: PanelPageOptions): Promise<PanelPage> {
    const page = await browser.newPage({ viewport: { width: 900, height: options.height ?? 700 } });
    const self = new PanelPage(page, options);
    await loadPage(page, options.request ? 'formRequest' : 'toolPanel', (frame) => self.hear(frame), options);
    await page.getByRole('heading', { name: 'tool' }).waitFor({ state: 'attached' });
    return self;
  }

  field(pointer: string): Locator {
    return this.page.locator(`.field[data-path="${pointer}"]`);
  }

  input(pointer: string): Locator {
    return this.field(pointer).locator('input, textarea').first();
  }

  /** The paths of all fields that are drawn, in page order. */
  paths(): Promise<(string | null)[]> {
    return this.page.evaluate(() =>
      Array.from(document.querySelectorAll('.field')).map((field) => field.getAttribute('data-path')),
    );
  }

  /** With `holdsFrames`: runs the callbacks that the page scheduled for the next frame. */
  drawFrame(): Promise<void> {
    return this.page.evaluate(() => (window as unknown as { drawFrame: () => void }).drawFrame());
  }

  /** Sends a message of the extension to the page. */
  tell(name: string, body: object): Promise<void> {
    return this.send({ kind: 'notice', name, body });
  }

  /** Sends the state of the form again, as after a submit. */
  ask(request: Partial<FormRequestState>): Promise<void> {
    return this.tell('ask', this.requestState(request));
  }

  close(): Promise<void> {
    return this.page.close();
  }

  private async hear(frame: Frame): Promise<void> {
    if (frame.kind === 'request') {
      this.replied = this.reply(frame);
      return this.replied;
    }
    this.said.push(frame);
    if (frame.name !== 'ready') return;
    if (this.options.request) await this.tell('ask', this.requestState(this.options.request));
    else await this.tell('show', this.state());
  }

  private async reply({ name, id, body }: Frame): Promise<void> {
    const reply =
      name === 'check' ? await (this.options.check?.(body['arguments'] as Record<string, unknown>) ?? []) : [];
    await this.send({ kind: 'reply', id, body: reply });
  }

  private state(): ItemPageState {
    const { schema, start, draft, description } = this.options;
    const form = formFromSchema(schema);
    return {
      bundle: this.options.bundle ?? {},
      target: { server: 'server', kind: 'tool', id: 'tool' },
      item: { title: 'tool', badges: [], form, ...(description === undefined ? {} : { description }) },
      server: { label: 'server', state: 'running', text: '', actions: [] },
      history: [],
      isGiven: false,
      ...(start ? { start } : {}),
      ...(draft ? { draft: { state: valueToForm(form, draft), at: 1 } } : {}),
      ...this.options.state,
    };
  }

  private requestState(request: Partial<FormRequestState>): FormRequestState {
    const { schema, start = {} } = this.options;
    return {
      bundle: this.options.bundle ?? {},
      target: { server: 'server', kind: 'elicitation', id: 'request' },
      title: 'tool',
      message: 'Fill this in.',
      form: formFromSchema(schema),
      start,
      submit: 'Send',
      ways: [],
      warnings: [],
      hasModes: false,
      ...request,
    };
  }

  /** A closed page receives no messages. */
  private send(frame: object): Promise<void> {
    return this.page
      .evaluate((sent) => window.postMessage(sent, '*'), frame)
      .catch((error: unknown) => {
        if (!this.page.isClosed()) throw error;
      });
  }
}

/** Loads a page of MCP Deck. `hear` receives its messages. */
export async function loadPage(
  page: Page,
  name: string,
  hear: (frame: Frame) => Promise<void>,
  { classes = 'vscode-dark', holdsFrames = false }: Pick<PanelPageOptions, 'classes' | 'holdsFrames'> = {},
): Promise<void> {
  await page.exposeFunction('post', hear);
  await page.addInitScript(standIn, { classes, holdsFrames });
  await page.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/')
      return route.fulfill({
        contentType: 'text/html',
        body: pageHtml({
          cspSource: origin,
          script: `/${name}.js`,
          styles: ['/codicon.css', `/${name}.css`],
          nonce: 'n',
          language: 'en',
          title: 'MCP Deck',
        }),
      });
    return route.fulfill({
      contentType: types[path.extname(pathname)] ?? '',
      body: await readFile(path.resolve('dist/webview', path.basename(pathname))),
    });
  });
  await page.goto(origin);
}

/** Runs in the page before its own script: provides VS Code's webview API. */
function standIn({ classes, holdsFrames }: { classes: string; holdsFrames: boolean }): void {
  const world = window as unknown as Record<string, unknown>;
  world['acquireVsCodeApi'] = () => ({
    postMessage: world['post'],
    getState: () => undefined,
    setState: () => undefined,
  });
  document.addEventListener('readystatechange', () => (document.body.className = classes), { once: true });
  if (!holdsFrames) return;
  let held: FrameRequestCallback[] = [];
  window.requestAnimationFrame = (callback) => held.push(callback);
  world['drawFrame'] = () => {
    const due = held;
    held = [];
    for (const callback of due) callback(performance.now());
  };
}
