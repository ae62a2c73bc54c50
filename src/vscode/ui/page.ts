import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { messageOf } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import type { Guards, Handlers, ChannelContract } from '../../shared/channel.js';
import { Channel } from '../../shared/channel.js';
import type { PageFrame } from './pageHtml.js';
import { pageHtml } from './pageHtml.js';

export interface PageOptions<FromPage extends ChannelContract> {
  webview: vscode.Webview;
  extensionUri: vscode.Uri;
  /** Name of the page's folder in `src/webview` and of its files in `dist/webview`. */
  name: string;
  title: string;
  guards: Guards<FromPage>;
  handlers: Handlers<FromPage>;
  log: Log;
  /**
   * Creates the HTML document. Default: `pageHtml`, which runs only the script of the extension and loads nothing from
   * elsewhere.
   */
  html?: (frame: PageFrame) => string;
  /** Whether frames in the page can submit forms. The pages of MCP Deck contain no such forms. Default: false. */
  hasForms?: boolean;
}

/**
 * Loads a page into a webview and exchanges messages with it. VS Code can reload the page at any time; the page then
 * sends `ready` again.
 */
export class Page<ToPage extends ChannelContract, FromPage extends ChannelContract> implements Disposable {
  readonly channel: Channel<ToPage, FromPage>;
  private readonly store = new DisposableStore();

  constructor({
    webview,
    extensionUri,
    name,
    title,
    guards,
    handlers,
    log,
    html = pageHtml,
    hasForms = false,
  }: PageOptions<FromPage>) {
    this.channel = new Channel<ToPage, FromPage>({
      post: (frame) => void webview.postMessage(frame),
      guards,
      handlers,
      // In a preview tab, the previous page may still be sending messages.
      ...('ready' in guards.notices ? { firstNotice: 'ready' } : {}),
      onBadFrame: (reason) => log.write('warn', `A message of the page "${name}" was dropped: ${reason}.`),
      errorText: messageOf,
    });
    this.store.add(webview.onDidReceiveMessage((data: unknown) => this.channel.receive(data)));
    const root = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    webview.options = {
      enableScripts: true,
      enableForms: hasForms,
      enableCommandUris: false,
      localResourceRoots: [root],
    };
    const addressOf = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
    webview.html = html({
      cspSource: webview.cspSource,
      script: addressOf(`${name}.js`),
      styles: ['codicon.css', `${name}.css`].map(addressOf),
      nonce: randomBytes(16).toString('base64url'),
      language: vscode.env.language,
      title,
    });
  }

  dispose(): void {
    this.channel.close();
    this.store.dispose();
  }
}
