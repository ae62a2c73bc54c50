import * as vscode from 'vscode';
import { isAuthError } from '../../../core/auth/authProblem.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { SecretTarget } from '../../../core/config/secretField.js';
import { withSecret } from '../../../core/config/secretField.js';
import { hostOf } from '../../../core/config/startWarnings.js';
import { whenFound } from '../../../core/base/whenFound.js';
import { missingVariableOf } from '../../../core/present/failure/failureText.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { concerning } from '../../ui/commandFunnel.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { readFields, readOwnPlace, writeOwnPlace } from '../../adapters/ownPlaces.js';
import { showLineInput } from '../../adapters/userMessages.js';
import { requirePlace } from './editServers.js';

/**
 * "Set API Key…": asks for a secret, stores it in secret storage, writes a reference to it into the definition, and
 * restarts the server. The variable or header is taken from the failure of the server. If the failure names none, the
 * user enters the variable, and the header is `Authorization`. A script can choose neither the variable nor the header.
 */
export async function setSecret(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  invocation: Invocation<'setSecret'>,
): Promise<void> {
  const { host, consent } = deck;
  const view = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Set API Key'),
    isCandidate: ({ entry }) => entry.definition.type !== 'builtin',
    noneMessage: vscode.l10n.t('No server is configured.'),
  });
  const { id, entry } = view;
  const place = requirePlace(view);
  const target = await targetOf(view);
  if (place.kind === 'portable') throw noInputs(view, target, place);
  const shown = JSON.stringify(await readFields(entry.name, place));
  const value = await askValue(view, target, place);
  const { inputs } = await readOwnPlace(place);
  const current = await readFields(entry.name, place);
  // The input box named the variable or the host that receives the value. If the definition changed since then, the
  // value might reach another program or host.
  if (JSON.stringify(current) !== shown || host.servers.get(id)?.entry.hash !== entry.hash)
    throw new UserError(
      vscode.l10n.t(
        '"{0}" changed while you entered the value, so the value was not stored. Try again.',
        visibleLine(id),
      ),
    );
  const { fields, input, isNew } = withSecret(current, target, {
    server: entry.name,
    inputs,
  });
  if (isNew) {
    await writeOwnPlace(place, { servers: { [entry.name]: fields }, inputs: [input] });
    consent.audit.note({
      event: 'server-edited',
      server: id,
      source: place.label,
      fields: [target.field],
      caller: auditCallerOf(invocation),
    });
  }
  const isRead = await whenFound(host.servers.onDidChange, () =>
    host.servers.get(id)?.entry.inputs.some((one) => one.id === input.id) === true ? true : undefined,
  );
  if (isRead !== true)
    throw new UserError(
      vscode.l10n.t('{0} could not be read after the change, so the value was not stored. Try again.', place.label),
    );
  await host.storedValues.keepInput(id, input.id, value);
  await concerning(id, host.lifecycle.restart(id, { interactive: true }));
}

/**
 * The variable or header that the failure of the server mentions. If none is mentioned, the header of a remote server
 * is "Authorization", and the user is asked for the variable of a local server.
 */
async function targetOf({ entry, state }: ServerView): Promise<SecretTarget> {
  const error = state.kind === 'failed' || state.kind === 'needsSignIn' ? state.error : undefined;
  if (entry.definition.type !== 'stdio') {
    const name = (isAuthError(error) ? error.data.keyHeader : undefined) ?? 'Authorization';
    return { field: 'headers', name, before: name.toLowerCase() === 'authorization' ? 'Bearer ' : '' };
  }
  const name =
    missingVariableOf(error) ??
    (await showLineInput({
      title: vscode.l10n.t('Set API Key of "{0}"', visibleLine(entry.name, 60)),
      prompt: vscode.l10n.t('The environment variable from which the server reads the API key'),
      placeHolder: 'ACME_API_KEY',
      ignoreFocusOut: true,
      validateInput: (text) =>
        /^[A-Za-z_]\w*$/.test(text.trim())
          ? undefined
          : vscode.l10n.t('Use letters, digits, and underscores. The first character cannot be a digit.'),
    }));
  if (name === undefined) throw new HostError('cancelled', 'No variable was named.');
  return { field: 'env', name: name.trim(), before: '' };
}

async function askValue(
  { entry }: ServerView,
  { field, name, before }: SecretTarget,
  place: OwnPlace,
): Promise<string> {
  const { definition } = entry;
  const host = 'url' in definition ? hostOf(definition.url) : undefined;
  const where =
    field === 'env'
      ? vscode.l10n.t('Passed to the server as the environment variable {0}.', name)
      : host === undefined
        ? vscode.l10n.t('Sent to the server in the header "{0}".', name)
        : vscode.l10n.t('Sent to {0} in the header "{1}".', host, name);
  const value = await showLineInput({
    title:
      field === 'env'
        ? vscode.l10n.t('Set {0} of "{1}"', name, visibleLine(entry.name, 60))
        : vscode.l10n.t('Set API Key of "{0}"', visibleLine(entry.name, 60)),
    prompt: `${where} ${vscode.l10n.t('The value is kept in secret storage. {0} only refers to it.', place.label)}`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter the value.') : undefined),
  });
  if (value === undefined) throw new HostError('cancelled', 'No value was entered.');
  const text = value.trim();
  return before !== '' && text.toLowerCase().startsWith(before.toLowerCase()) ? text.slice(before.length).trim() : text;
}

/**
 * The error for a server in the portable format. The format has no inputs, and a secret does not belong in a shared
 * file.
 */
function noInputs({ entry }: ServerView, { field, name }: SecretTarget, { label }: OwnPlace): UserError {
  const server = visibleLine(entry.name, 60);
  return new UserError(
    field === 'env'
      ? vscode.l10n.t(
          '{0} cannot keep secrets, because its format has no inputs. Move "{1}" with "MCP Deck: Move Server…", or set {2} in the environment of VS Code.',
          label,
          server,
          name,
        )
      : vscode.l10n.t(
          '{0} cannot keep secrets, because its format has no inputs. Move "{1}" with "MCP Deck: Move Server…".',
          label,
          server,
        ),
  );
}
