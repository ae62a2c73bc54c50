import path from 'node:path';
import * as vscode from 'vscode';
import type { OpenBrowser } from '../../../core/auth/authorizationFlow.js';
import { FileLock } from '../../../core/auth/fileLock.js';
import { LoopbackReceiver } from '../../../core/auth/loopbackReceiver.js';
import type { AskClient } from '../../../core/auth/personSignIn.js';
import type { RedirectReceiver } from '../../../core/auth/redirectReceiver.js';
import { UriRedirectReceiver } from '../../../core/auth/redirectReceiver.js';
import { WindowReceiver } from '../../../core/auth/windowReceiver.js';
import type { AuthSecretStore } from '../../../core/auth/tokenStore.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { SignInPorts } from '../../../core/auth/signInPorts.js';
import { signInPermissions, signInQuestion } from '../../../core/present/questions/signInQuestion.js';
import { VsCodeSecrets } from '../../adapters/vsCodeStores.js';
import { openInBrowser } from '../../ui/openLink.js';
import type { UriRoutes } from '../../ui/uriHandler.js';
import { showInformation, showLineInput } from '../../adapters/userMessages.js';

const signedInPath = '/signed-in';

/** Implements the sign-in ports with VS Code. The registered URI route is added to `store`. */
export function signInPorts(
  extension: vscode.ExtensionContext,
  uris: UriRoutes,
  store: { add(item: Disposable): unknown },
): SignInPorts {
  return {
    secrets: new SharedSecrets(extension.secrets),
    // All windows of the user share this folder, so locks apply to all of them.
    lock: new FileLock(path.join(extension.globalStorageUri.fsPath, 'locks')),
    openBrowser,
    receiver: redirectReceiver(extension, uris, store),
    askClient,
  };
}

/** Secret storage with change events from all windows. */
class SharedSecrets extends VsCodeSecrets implements AuthSecretStore {
  readonly onDidChange: AuthSecretStore['onDidChange'];

  constructor(storage: vscode.SecretStorage) {
    super(storage);
    this.onDidChange = (listener) => storage.onDidChange(({ key }) => listener(key));
  }
}

/**
 * Shows the address of the sign-in page. Opens the page in the browser or copies its address, as the user chooses. VS
 * Code opens the browser without a shell.
 */
const openBrowser: OpenBrowser = async (url, request) => {
  const { message, detail, isCut } = signInQuestion(request);
  // Enter presses the first button, so the first button must not open the browser.
  const look: vscode.MessageItem = { title: vscode.l10n.t('Show All Permissions') };
  const copy: vscode.MessageItem = { title: vscode.l10n.t('Copy Address') };
  const open: vscode.MessageItem = { title: vscode.l10n.t('Open Browser') };
  const refuse: vscode.MessageItem = { title: vscode.l10n.t('Cancel'), isCloseAffordance: true };
  let answer = await showInformation(message, { modal: true, detail }, ...(isCut ? [look] : [copy, open]), refuse);
  if (answer === look) {
    const document = await vscode.workspace.openTextDocument({
      content: signInPermissions(request),
      language: 'plaintext',
    });
    await vscode.window.showTextDocument(document, { preview: true });
    // This question is a notification, because a dialog would cover the text. Any program can press its first button,
    // so that button refuses.
    answer = await showInformation(message, {}, refuse, open, copy);
  }
  if (answer === copy) {
    await vscode.env.clipboard.writeText(url);
    return true;
  }
  return answer === open && (await openInBrowser(url));
};

const askClient: AskClient = ({ serverName, issuer, redirectUri, reason }) =>
  askForClient({
    title: vscode.l10n.t('Client ID for "{0}"', visibleLine(serverName, 80)),
    prompt: vscode.l10n.t(
      '{0} Register MCP Deck at {2} with the redirect URI {1}, and then enter the client ID that you get there. MCP Deck sends it only to {2}.',
      visibleLine(reason.message, 300),
      redirectUri,
      visibleLine(issuer, 120),
    ),
  });

/**
 * Receives the redirect from the browser. A local window receives it through a local port. Otherwise, VS Code routes
 * the URI to this window.
 */
function redirectReceiver(
  { extension: { id } }: vscode.ExtensionContext,
  uris: UriRoutes,
  store: { add(item: Disposable): unknown },
): RedirectReceiver {
  const { remoteName, uiKind } = vscode.env;
  const editorUri = () => asExternal(`${vscode.env.uriScheme}://${id}${signedInPath}`);
  const receiver = new UriRedirectReceiver(editorUri);
  store.add(uris.register(signedInPath, ({ query }) => Promise.resolve(void receiver.take(query))));
  const place = uiKind === vscode.UIKind.Web ? 'web' : remoteName === undefined ? 'here' : 'forwarded';
  return new WindowReceiver(new LoopbackReceiver(), receiver, {
    place,
    editorUri: place === 'here' ? () => Promise.resolve(`${vscode.env.uriScheme}://${id}${signedInPath}`) : editorUri,
    toBrowser: asExternal,
  });
}

/** Converts a local address to the address that the user's browser can reach. */
async function asExternal(uri: string): Promise<string> {
  const external = await vscode.env.asExternalUri(vscode.Uri.parse(uri, true));
  // The address is not encoded, because the issuer compares its exact characters with the registered redirect URI.
  return external.toString(true);
}

/** Asks the user for a client ID and an optional client secret. Returns undefined if the user cancels. */
export async function askForClient({
  title,
  prompt,
}: {
  title: string;
  prompt: string;
}): Promise<{ clientId: string; clientSecret?: string } | undefined> {
  const validateInput = (value: string) => (value.trim() === '' ? vscode.l10n.t('Enter a client ID.') : undefined);
  const clientId = await showLineInput({ title, prompt, ignoreFocusOut: true, validateInput });
  if (clientId === undefined || clientId.trim() === '') return undefined;
  const clientSecret = await showLineInput({
    title,
    prompt: vscode.l10n.t(
      'The client secret, which is kept in secret storage. If there is none, leave the field empty.',
    ),
    password: true,
    ignoreFocusOut: true,
  });
  if (clientSecret === undefined) return undefined;
  return { clientId: clientId.trim(), ...(clientSecret === '' ? {} : { clientSecret }) };
}
