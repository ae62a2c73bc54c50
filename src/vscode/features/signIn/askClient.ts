import * as vscode from 'vscode';
import { showLineInput } from '../../adapters/userMessages.js';

/** Asks for a client id and, where there is one, its secret; undefined when the user gives up. */
export async function askForClient({ title, prompt }: { title: string; prompt: string }): Promise<{ clientId: string; clientSecret?: string } | undefined> {
  const validateInput = (value: string) => (value.trim() === '' ? vscode.l10n.t('A client id is needed.') : undefined);
  const clientId = await showLineInput({ title, prompt, ignoreFocusOut: true, validateInput });
  if (clientId === undefined || clientId.trim() === '') return undefined;
  const clientSecret = await showLineInput({
    title,
    prompt: vscode.l10n.t('The client secret, kept in the secret store. Leave it empty when there is none.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (clientSecret === undefined) return undefined;
  return { clientId: clientId.trim(), ...(clientSecret === '' ? {} : { clientSecret }) };
}
