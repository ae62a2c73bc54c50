import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { isObject } from '../../../core/base/guards.js';
import type { ConfigSource } from '../../../core/config/serverDefinition.js';
import type { Audit } from '../../../core/consent/audit.js';
import type { NewDefinition, NewServerKind } from '../../../core/present/form/newServer.js';
import {
  addServerChanges,
  applyChanges,
  checkName,
  mayBeRawSocket,
  namesIn,
  readNewServer,
  suggestName,
} from '../../../core/present/form/newServer.js';
import { configurationFileSources, labelAmongFolders, userSource } from '../../adapters/configurationFiles.js';
import type { ConfigurationFileKind, SettingKey } from '../../manifest.js';
import { configurationFileNames } from '../../manifest.js';
import { ownValue } from '../../adapters/settingPolicy.js';
import { updateSetting, writeWholeFile } from '../../adapters/storage.js';
import { writtenSetting } from '../../adapters/writtenSetting.js';
import { openSource } from '../../adapters/openSource.js';
import type { StepFrame } from '../../ui/steps.js';
import { askPick, askText, back, runSteps } from '../../ui/steps.js';

/** A file or setting that a server can be written to. */
interface Place {
  source: ConfigSource;
  label: string;
  description: string;
  uri?: vscode.Uri;
  file?: ConfigurationFileKind;
}

const totalSteps = 4;
const serversKey = 'mcpDeck.servers' satisfies SettingKey;

/** "Add Server…": asks for the type, the address, the target, and the name. Writes only in the last step. */
export async function addServer(audit: Audit): Promise<void> {
  const title = vscode.l10n.t('Add Server');
  const draft: {
    kind: NewServerKind;
    text: string;
    definition?: NewDefinition;
    place?: Place;
    taken: Set<string>;
    name: string;
  } = { kind: 'command', text: '', taken: new Set(), name: '' };
  await runSteps([
    async (step) => {
      const items = kindItems();
      const picked = await askPick({
        title,
        step,
        totalSteps,
        placeholder: vscode.l10n.t('What kind of server?'),
        items,
        active: items.find(({ serverKind }) => serverKind === draft.kind),
      });
      if (picked === undefined || picked === back) return 'cancel';
      if (picked.serverKind !== draft.kind) draft.text = '';
      draft.kind = picked.serverKind;
      return 'next';
    },
    async (step) => {
      const text = await askText({
        title,
        step,
        totalSteps,
        ...textQuestion(draft.kind),
        value: draft.text,
        check: (value) => problemOf(draft.kind, value),
      });
      if (text === undefined) return 'cancel';
      if (text === back) return 'back';
      const read = readNewServer(draft.kind, text);
      if ('problem' in read) return 'cancel';
      draft.text = text;
      const definition = mayBeRawSocket(read.value)
        ? await askWhatIsSpoken({ title, step, totalSteps }, read.value, draft.definition?.type)
        : read.value;
      if (definition === undefined) return 'cancel';
      // Repeat the step that asks for the address.
      if (definition === back) return 'same';
      draft.definition = definition;
      return 'next';
    },
    async (step) => {
      const picked = await askPick({
        title,
        step,
        totalSteps,
        placeholder: vscode.l10n.t('Where should the server be saved?'),
        items: places(),
      });
      if (picked === undefined) return 'cancel';
      if (picked === back) return 'back';
      draft.place = picked;
      draft.taken = await takenNames(picked);
      return 'next';
    },
    async (step) => {
      if (!draft.definition) return 'back';
      const name = await askText({
        title,
        step,
        totalSteps,
        prompt: vscode.l10n.t('The name of the server. Press Enter to save it to {0}.', draft.place?.label ?? ''),
        value: suggestName(draft.definition, draft.taken),
        check: (value) => checkName(value, draft.taken),
      });
      if (name === undefined) return 'cancel';
      if (name === back) return 'back';
      draft.name = name.trim();
      return 'next';
    },
  ]);
  const { place, definition, name } = draft;
  if (!place || !definition) throw new HostError('internal', 'The steps ended without an answer.');
  if (place.uri && place.file) await writeToFile(place.uri, place.file, name, definition);
  else await writeToSettings(name, definition, place.source);
  audit.note({ event: 'server-added', servers: [name], to: place.label, caller: 'user', outcome: 'allowed' });
}

function kindItems(): (vscode.QuickPickItem & { serverKind: NewServerKind })[] {
  return [
    {
      serverKind: 'command',
      label: vscode.l10n.t('Command'),
      detail: vscode.l10n.t('Run a local command (stdio)'),
      iconPath: new vscode.ThemeIcon('terminal'),
    },
    {
      serverKind: 'npm',
      label: vscode.l10n.t('npm Package'),
      detail: vscode.l10n.t('Run by npx, and downloaded at the first start'),
      iconPath: new vscode.ThemeIcon('package'),
    },
    {
      serverKind: 'url',
      label: vscode.l10n.t('Address'),
      detail: vscode.l10n.t('Connect to a URL (Streamable HTTP, SSE, or WebSocket)'),
      iconPath: new vscode.ThemeIcon('globe'),
    },
  ];
}

/** Asks for the protocol of the program behind a socket, because its address does not show the protocol. */
async function askWhatIsSpoken(
  frame: StepFrame,
  { url }: { url: string },
  known: NewDefinition['type'] | undefined,
): Promise<NewDefinition | typeof back | undefined> {
  const items: (vscode.QuickPickItem & { type: 'http' | 'socket' })[] = [
    {
      type: 'http',
      label: vscode.l10n.t('HTTP'),
      detail: vscode.l10n.t('Streamable HTTP. To specify a path, add it after # in the address'),
    },
    {
      type: 'socket',
      label: vscode.l10n.t('JSON Lines'),
      detail: vscode.l10n.t('One message per line, as over standard input and output'),
    },
  ];
  const picked = await askPick({
    ...frame,
    placeholder: vscode.l10n.t('Which protocol does the socket use?'),
    items,
    active: items.find(({ type }) => type === known),
  });
  return picked === undefined || picked === back ? picked : { type: picked.type, url };
}

function textQuestion(kind: NewServerKind): { prompt: string; placeholder: string } {
  switch (kind) {
    case 'command':
      return {
        prompt: vscode.l10n.t(
          'The command and its arguments. Put quotation marks around arguments with spaces. Pipes and shell variables do not work.',
        ),
        placeholder: 'node build/index.js --verbose',
      };
    case 'npm':
      return {
        prompt: vscode.l10n.t('The package, and arguments if it takes any.'),
        placeholder: '@modelcontextprotocol/server-everything',
      };
    case 'url':
      return { prompt: vscode.l10n.t("The URL of the server's MCP endpoint."), placeholder: 'https://example.com/mcp' };
  }
}

function problemOf(kind: NewServerKind, text: string): string | undefined {
  const read = readNewServer(kind, text);
  return 'problem' in read ? read.problem : undefined;
}

function places(): (vscode.QuickPickItem & Place)[] {
  const shared: Record<ConfigurationFileKind, string> = {
    vscode: vscode.l10n.t('for this folder, shared with VS Code'),
    portable: vscode.l10n.t('for this folder, also read by other MCP clients'),
  };
  const files = configurationFileSources().map(({ source, uri }) => {
    const file: ConfigurationFileKind = source.kind === 'portable' ? 'portable' : 'vscode';
    return { source, uri, file, label: labelAmongFolders(source), description: shared[file] };
  });
  const source = userSource();
  return [...files, { source, label: source.label, description: vscode.l10n.t('for every folder, on this machine') }];
}

async function takenNames({ uri, file }: Place): Promise<Set<string>> {
  if (uri && file) return namesIn((await openIfThere(uri))?.getText() ?? '', file);
  const value = ownValue(writtenSetting(serversKey));
  return new Set(isObject(value) ? Object.keys(value) : []);
}

async function writeToFile(
  uri: vscode.Uri,
  file: ConfigurationFileKind,
  name: string,
  definition: NewDefinition,
): Promise<void> {
  const existing = await openIfThere(uri);
  if (existing?.isDirty)
    throw new UserError(
      vscode.l10n.t('{0} has unsaved changes. Save the file, and then add the server.', configurationFileNames[file]),
    );
  const text = existing?.getText() ?? '';
  const changes = addServerChanges(text, file, name, definition);
  if ('problem' in changes) throw new UserError(`${configurationFileNames[file]}: ${changes.problem}`);
  const result = applyChanges(text, changes.value, file, name);
  if (existing) {
    const edit = new vscode.WorkspaceEdit();
    for (const { offset, length, content } of changes.value)
      edit.replace(uri, new vscode.Range(existing.positionAt(offset), existing.positionAt(offset + length)), content);
    const isWritten = (await vscode.workspace.applyEdit(edit)) && (await existing.save());
    if (!isWritten) throw new UserError(vscode.l10n.t('{0} could not be written.', configurationFileNames[file]));
  } else await writeWholeFile(uri, new TextEncoder().encode(result.text), name);
  const document = await vscode.workspace.openTextDocument(uri);
  const position = document.positionAt(result.offset);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
}

async function writeToSettings(name: string, definition: NewDefinition, source: ConfigSource): Promise<void> {
  const value = ownValue(writtenSetting(serversKey));
  await updateSetting(
    serversKey,
    { ...(isObject(value) ? value : {}), [name]: definition },
    vscode.ConfigurationTarget.Global,
  );
  await openSource(source);
}

/** Opens the file as a text document. Returns undefined if there is none. */
async function openIfThere(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    // The file does not exist or cannot be read. Writing it reports which.
    return undefined;
  }
}
