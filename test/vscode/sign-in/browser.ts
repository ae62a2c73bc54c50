/**
 * The user and the browser of a sign-in: answers the preceding question, requests the address over real sockets, and
 * returns the redirect to VS Code.
 */
import * as vscode from 'vscode';

export interface Consent {
  message: string;
  detail: string;
  buttons: string[];
}

export class Browser {
  readonly asked: Consent[] = [];
  readonly opened: string[] = [];
  /** The button to press; undefined closes the question. */
  press: 'Open Browser' | 'Copy Address' | undefined = 'Open Browser';
  /** Whether the redirect is returned or never arrives. */
  answers = true;
  /** The addresses that the window really maps for the browser: none, only its own, or also ports of this machine. */
  translates: 'none' | 'own' | 'all' = 'none';
  private readonly original = {
    showInformationMessage: vscode.window.showInformationMessage,
    openExternal: vscode.env.openExternal,
    asExternalUri: vscode.env.asExternalUri,
  };

  constructor() {
    const showInformationMessage = (
      message: string,
      ...rest: (vscode.MessageOptions | vscode.MessageItem)[]
    ): Promise<vscode.MessageItem | undefined> => {
      const options = rest.find((one): one is vscode.MessageOptions => 'modal' in one);
      const items = rest.filter((one): one is vscode.MessageItem => 'title' in one);
      if (options?.modal !== true) return Promise.resolve(undefined);
      this.asked.push({ message, detail: options.detail ?? '', buttons: items.map(({ title }) => title) });
      return Promise.resolve(items.find(({ title }) => title === this.press));
    };
    vscode.window.showInformationMessage = showInformationMessage;
    Object.assign(vscode.env, {
      asExternalUri: (uri: vscode.Uri) =>
        this.translates === 'all' || (this.translates === 'own' && uri.scheme !== 'http')
          ? this.original.asExternalUri.call(vscode.env, uri)
          : Promise.resolve(uri),
      openExternal: async (uri: vscode.Uri) => {
        this.opened.push(uri.toString(true));
        await this.follow(uri.toString(true));
        return true;
      },
    });
  }

  restore(): void {
    const { openExternal, asExternalUri, ...window } = this.original;
    Object.assign(vscode.window, window);
    Object.assign(vscode.env, { openExternal, asExternalUri });
  }

  private async follow(address: string): Promise<void> {
    const location = (await fetch(address, { redirect: 'manual' })).headers.get('location');
    if (location === null || !this.answers) return;
    if (/^http:/.test(location)) await fetch(location);
    else await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(location, true));
  }
}
