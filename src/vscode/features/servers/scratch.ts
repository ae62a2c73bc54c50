import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { withOpenValues, withPlainSecrets } from '../../../core/interchange/pasted/openValues.js';
import type { PastedServers } from '../../../core/interchange/pasted/readPasted.js';
import { scratchServerOf, startText } from '../../../core/present/form/pastedText.js';
import { addScratch } from '../../ui/addScratch.js';
import type { PasteQuestion } from '../../ui/pasteBox.js';
import { askPasted } from '../../ui/pasteBox.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { commandIds } from '../../manifest.js';
import { newServer } from './addServer.js';
import { startServer } from './lifecycle.js';

type Services = Pick<ExtensionServices, 'commands' | 'editPages' | 'host' | 'revealServer' | 'scratch'>;

/**
 * Scratch servers, for trying out a server: the user starts them from an input box, and they exist only in this window
 * until the user saves them.
 */
export const scratchCommands: Feature = {
  name: 'scratch servers',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(deck.commands.defineCommand(commandIds.connectToUrl, () => open(deck, urlQuestion())));
    store.add(deck.commands.defineCommand(commandIds.runServerCommand, () => open(deck, commandQuestion())));
    store.add(deck.commands.defineCommand(commandIds.keepServer, (invocation) => keep(deck, invocation)));
    return store;
  },
};

function urlQuestion(): PasteQuestion {
  return {
    title: vscode.l10n.t('Connect to URL'),
    prompt: vscode.l10n.t('The URL of an MCP server. Nothing is saved, and the server exists only in this window.'),
    placeholder: 'https://example.com/mcp',
    describe: describeOne,
    refuse: (pasted) =>
      'url' in (pasted.servers[0]?.fields ?? {})
        ? onlyOne(pasted)
        : vscode.l10n.t('This is a command. Use "MCP Deck: Run Command…".'),
  };
}

function commandQuestion(): PasteQuestion {
  return {
    title: vscode.l10n.t('Run Command'),
    prompt: vscode.l10n.t('The command of an MCP server. Nothing is saved, and the server exists only in this window.'),
    placeholder: 'npx -y @modelcontextprotocol/server-memory',
    describe: describeOne,
    refuse: (pasted) =>
      'command' in (pasted.servers[0]?.fields ?? {})
        ? onlyOne(pasted)
        : vscode.l10n.t('This is the URL of a server. Use "MCP Deck: Connect to URL…".'),
  };
}

function onlyOne({ servers }: PastedServers): string | undefined {
  return servers.length === 1
    ? undefined
    : vscode.l10n.t('The text contains {0} servers. Use "MCP Deck: Add Server…".', servers.length);
}

function describeOne(pasted: PastedServers): string {
  const [server] = pasted.servers;
  return server ? startText(scratchServerOf(server, pasted)) : '';
}

/**
 * Asks for a server in an input box that shows what would run, and starts the server after the usual question about a
 * start. Pressing Enter is not an approval, because the box suggests the text of the clipboard, and any program can
 * accept the box.
 */
async function open(deck: Services, question: PasteQuestion): Promise<string> {
  const pasted = await askPasted(question);
  const [server] = pasted?.servers ?? [];
  if (!pasted || !server) throw new HostError('cancelled', 'Nothing was started.');
  const read = await newServer(server, pasted, question.title);
  // Secrets stay in memory, because nothing about a scratch server is stored. Only missing values become inputs.
  const { server: plain, inputs } = withPlainSecrets(read);
  const { fields } = plain;
  const { id, ...added } = await addScratch(deck, server.name, { fields, inputs });
  deck.revealServer(added);
  await startServer(deck.host, id, true);
  deck.revealServer(added);
  return id;
}

/**
 * "Keep It…": opens the form of a new server with the definition. The scratch server is removed when the form is saved.
 */
async function keep(deck: Services, invocation: Invocation<'keepServer'>): Promise<void> {
  const { entry } = await chooseServer(deck.host.servers, invocation, {
    title: vscode.l10n.t('Keep Server'),
    isCandidate: (view) => view.entry.source.kind === 'scratch',
    noneMessage: vscode.l10n.t('There is no scratch server.'),
  });
  const { name } = entry;
  const server = deck.scratch.get(name);
  if (!server)
    throw new HostError('invalid-arguments', vscode.l10n.t('"{0}" is not a scratch server.', visibleLine(name)));
  deck.editPages.add({
    ...withOpenValues({ name, fields: server.fields }, server.inputs),
    notes: [],
    onDidSave: () => deck.scratch.remove(name),
  });
}
