import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { OpenServer } from '../../../core/interchange/pasted/openValues.js';
import { withOpenValues } from '../../../core/interchange/pasted/openValues.js';
import type { PastedServers } from '../../../core/interchange/pasted/readPasted.js';
import type { PortableServer } from '../../../core/interchange/portableServer.js';
import { mayBeRawSocket } from '../../../core/present/form/newServer.js';
import { kindText } from '../../../core/present/form/pastedText.js';
import { askPasted } from '../../ui/pasteBox.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { descriptionOfPlace, ownPlaces } from '../../adapters/ownPlaces.js';

/**
 * "Add Server…": reads what the user pastes. A single server opens in a form, and nothing is written until the user
 * saves the form. Several servers are confirmed in a list and saved, and the first one opens in the form.
 */
export async function addServer(
  deck: Pick<ExtensionServices, 'consent' | 'editPages' | 'host' | 'revealServer'>,
  invocation: Invocation,
): Promise<void> {
  const title = vscode.l10n.t('Add Server');
  const pasted = await askPasted({
    title,
    prompt: vscode.l10n.t('Paste or type a command, a URL, or a JSON configuration of any MCP client.'),
    placeholder: 'npx -y @modelcontextprotocol/server-memory',
  });
  if (!pasted) throw new HostError('cancelled', 'Nothing was added.');
  const [only, second] = pasted.servers;
  if (only && !second) deck.editPages.add(await newServer(only, pasted, title));
  else await addSeveral(deck, invocation, pasted, title);
}

/**
 * Converts a server from a pasted text to the data of the form. Asks for the protocol if the URL does not show it.
 */
export async function newServer(server: PortableServer, pasted: PastedServers, title: string) {
  const spoken = mayBeRawSocket(server.fields) ? await askWhatIsSpoken(server, title) : server;
  const lost = pasted.losses.filter((loss) => loss.server === server.name).map(({ field }) => visibleLine(field, 40));
  return {
    ...withOpenValues(spoken, pasted.inputs),
    notes: [
      ...pasted.notes,
      ...(lost.length === 0 ? [] : [vscode.l10n.t('Not used by MCP Deck: {0}.', lost.join(', '))]),
      ...pasted.unusable.map(({ name, reason }) =>
        vscode.l10n.t('"{0}" cannot be used: {1}', visibleLine(name, 60), visibleLine(reason, 200)),
      ),
    ],
    ...(pasted.place === undefined ? {} : { place: pasted.place }),
  };
}

async function addSeveral(
  deck: Pick<ExtensionServices, 'consent' | 'editPages' | 'host' | 'revealServer'>,
  invocation: Invocation,
  pasted: PastedServers,
  title: string,
): Promise<void> {
  const items = pasted.servers.map((server) => ({
    label: visibleLine(server.name, 80),
    description: kindText(server),
    detail: lineOf(server),
    picked: true,
    server,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDetail: true,
    placeHolder: vscode.l10n.t('Which servers do you want to add?'),
  });
  const place = picked && picked.length > 0 ? await askPlace(title) : undefined;
  if (!picked || !place) throw new HostError('cancelled', 'Nothing was added.');
  const open = picked.map(({ server }) => withOpenValues(server, pasted.inputs));
  const secrets = open.flatMap((one) => one.secrets);
  // Loaded on first use, because it needs the YAML library.
  const { addImported, askToWriteServers, askWhereSecretsGo } = await import('../../ui/addImported.js');
  // The portable file has no inputs, so the user decides what happens to its secrets.
  const moved =
    place.kind === 'portable' ? await askWhereSecretsGo(secrets, title, place) : ([] as OpenServer['secrets']);
  if (!moved) throw new HostError('cancelled', 'Nothing was added.');
  const isPortable = place.kind === 'portable';
  const request = {
    servers: isPortable ? picked.map(({ server }) => server) : open.map(({ server }) => server),
    inputs: isPortable ? pasted.inputs : unique(open),
    place,
    moved,
    held: isPortable ? [] : secrets,
  };
  await askToWriteServers(deck.consent.audit, invocation, request);
  const { names } = await addImported(deck, request, 'user');
  const [first] = names;
  if (first === undefined) return;
  deck.revealServer({ name: first, source: place.source.id });
  await deck.editPages.open({ name: first }, place);
}

/** The inputs of all servers, each once, because the servers of one text can share an input. */
function unique(open: readonly OpenServer[]): OpenServer['inputs'] {
  return [...new Map(open.flatMap(({ inputs }) => inputs.map((input) => [input.id, input] as const))).values()];
}

/** Asks for the file or setting to save to. Undefined if the user cancels. */
async function askPlace(title: string): Promise<OwnPlace | undefined> {
  const items = ownPlaces().map((place) => ({ label: place.label, description: descriptionOfPlace(place), place }));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Where should the servers be saved?'),
    ignoreFocusOut: true,
  });
  return picked?.place;
}

/** The command line or the URL of a server. */
function lineOf({ fields }: PortableServer): string {
  const { command, args, url } = fields;
  if (typeof url === 'string') return visibleLine(url, 200);
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].filter(
    (word) => typeof word === 'string',
  );
  return visibleLine(words.map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(' '), 200);
}

/** Asks which protocol the program at a socket uses, because the URL does not show it. */
async function askWhatIsSpoken(server: PortableServer, title: string): Promise<PortableServer> {
  const items: (vscode.QuickPickItem & { type: 'http' | 'socket' })[] = [
    {
      type: 'http',
      label: vscode.l10n.t('HTTP'),
      detail: vscode.l10n.t('Streamable HTTP. To specify a path, add it after # in the URL'),
    },
    {
      type: 'socket',
      label: vscode.l10n.t('JSON Lines'),
      detail: vscode.l10n.t('One message per line, as over standard input and output'),
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Which protocol does the socket use?'),
    ignoreFocusOut: true,
  });
  if (!picked) throw new HostError('cancelled', 'Nothing was added.');
  return { ...server, fields: { ...server.fields, type: picked.type } };
}
