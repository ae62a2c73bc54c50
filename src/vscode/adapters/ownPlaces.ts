import * as vscode from 'vscode';
import type { WrittenFields } from '../../core/present/form/serverForm.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { isObject } from '../../core/base/guards.js';
import { UserError, messageOf } from '../../core/base/hostError.js';
import { storageFailure } from '../../core/base/storageFailure.js';
import { maxConfigBytes } from '../../core/config/configBytes.js';
import { readJson, withValue } from '../../core/config/jsonEdit.js';
import { parseConfigText } from '../../core/config/parseConfig.js';
import type { ConfigSource, InputDefinition } from '../../core/config/serverDefinition.js';
import type { OwnFile } from '../../core/interchange/appFormats.js';
import { ownFormats } from '../../core/interchange/appFormats.js';
import type { OwnContent } from '../../core/interchange/mergeOwn.js';
import { configurationFileSources, labelAmongFolders, userSource } from './configurationFiles.js';
import type { SettingKey } from '../manifest.js';
import { ownValue } from './settingPolicy.js';
import { nameOfFile, readTextUpTo, updateSetting, writeWholeFile } from './storage.js';
import { writtenSetting } from './writtenSetting.js';

/** A configuration file or setting to which MCP Deck writes servers. */
export interface OwnPlace {
  source: ConfigSource;
  kind: OwnFile;
  label: string;
  /** The URI of the file; absent for the user settings. */
  uri?: vscode.Uri;
}

const serversKey = 'mcpDeck.servers' satisfies SettingKey;
const inputsKey = 'mcpDeck.inputs' satisfies SettingKey;

/** The user settings, followed by the configuration files of the open folders. */
export function ownPlaces(): OwnPlace[] {
  const files = configurationFileSources().map(({ source, uri }): OwnPlace => ({
    source,
    uri,
    kind: source.kind === 'portable' ? 'portable' : 'vscode',
    label: labelAmongFolders(source),
  }));
  return [userPlace(), ...files];
}

/** The user settings. */
export function userPlace(): OwnPlace {
  const source = userSource();
  return { source, kind: 'user', label: source.label };
}

/** The file or setting that belongs to a source. Undefined for the built-in server and for scratch servers. */
export function placeOf(source: ConfigSource): OwnPlace | undefined {
  return ownPlaces().find((place) => place.source.id === source.id);
}

/** Describes where the servers of the file or setting are available. */
export function descriptionOfPlace({ kind }: OwnPlace): string {
  switch (kind) {
    case 'user':
      return vscode.l10n.t('available in every workspace, and starts without asking you');
    case 'vscode':
      return vscode.l10n.t('available in this folder, and shared with VS Code');
    case 'portable':
      return vscode.l10n.t('available in this folder and to other MCP clients');
  }
}

/** Reads the servers and inputs of a configuration file or setting. Servers with errors are included. */
export async function readOwnPlace(place: OwnPlace): Promise<OwnContent> {
  if (!place.uri) {
    const inputs = parseConfigText(
      JSON.stringify({ servers: {}, inputs: userValue(inputsKey) ?? [] }),
      place.source,
    ).inputs;
    const servers = userValue(serversKey);
    return { servers: isObject(servers) ? servers : {}, inputs };
  }
  const text = (await textOnDisk(place.uri)) ?? '';
  const servers = valueIn(readJson(text), ownFormats[place.kind].key);
  return { servers: isObject(servers) ? servers : {}, inputs: parseConfigText(text, place.source).inputs };
}

/**
 * The inputs that a definition at this place can use: those of the place, and the ones that are added with it. If an ID
 * occurs twice in a list of inputs, the last one counts.
 */
export async function inputsAt(place: OwnPlace, added: readonly InputDefinition[]): Promise<InputDefinition[]> {
  return [...(await readOwnPlace(place)).inputs, ...added];
}

/** A change to a configuration file or setting. */
export interface OwnChange {
  /** The new fields by server name. Undefined removes the server. */
  servers: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  /** Inputs to add after the existing ones. */
  inputs?: readonly InputDefinition[];
}

/** Writes servers and inputs to a configuration file or setting. All other content stays unchanged. */
export async function writeOwnPlace(place: OwnPlace, { servers, inputs = [] }: OwnChange): Promise<void> {
  if (!place.uri) {
    await writeSettings(servers, inputs);
    return;
  }
  const { key } = ownFormats[place.kind];
  await editFile(place.uri, place.label, (text) => {
    let result = text.trim() === '' ? '{\n}\n' : text;
    if (inputs.length > 0) {
      const there = valueIn(readJson(result), 'inputs');
      result = withValue(result, ['inputs'], [...(Array.isArray(there) ? (there as unknown[]) : []), ...inputs]);
    }
    return Object.entries(servers).reduce((current, [name, fields]) => withValue(current, [key, name], fields), result);
  });
}

async function writeSettings(servers: OwnChange['servers'], inputs: readonly InputDefinition[]): Promise<void> {
  // Write the inputs first. Otherwise, a server would briefly refer to a missing input, and a problem would be
  // reported.
  if (inputs.length > 0) {
    const there = userValue(inputsKey);
    await updateSetting(
      inputsKey,
      [...(Array.isArray(there) ? (there as unknown[]) : []), ...inputs],
      vscode.ConfigurationTarget.Global,
    );
  }
  const there = userValue(serversKey);
  const changed = new Map<string, unknown>(Object.entries(isObject(there) ? there : {}));
  for (const [name, fields] of Object.entries(servers)) {
    if (fields === undefined) changed.delete(name);
    else changed.set(name, fields);
  }
  await updateSetting(serversKey, Object.fromEntries(changed), vscode.ConfigurationTarget.Global);
}

/**
 * Edits a file through its text document if possible, so that open editors update and undo works. Creates a missing
 * file.
 */
async function editFile(uri: vscode.Uri, label: string, edit: (text: string) => string): Promise<void> {
  const existing = await openIfThere(uri);
  if (existing?.isDirty) throw new UserError(vscode.l10n.t('{0} has unsaved changes. Save it first.', label));
  const before = (await textOnDisk(uri)) ?? '';
  const after = attempt(() => edit(before), label);
  if (after === before) return;
  // The file does not exist, or its text document differs from the file on disk and could not be saved safely. The file
  // is written directly, and VS Code reloads an open document.
  if (existing?.getText() !== before) {
    await writeWholeFile(uri, new TextEncoder().encode(after));
    return;
  }
  const change = new vscode.WorkspaceEdit();
  change.replace(uri, new vscode.Range(existing.positionAt(0), existing.positionAt(before.length)), after);
  if (!(await vscode.workspace.applyEdit(change)))
    throw new UserError(vscode.l10n.t('VS Code could not change {0}. Try again.', label));
  if (await existing.save()) return;
  // Show the editor, where VS Code offers to compare the two versions or to overwrite the file.
  await vscode.window.showTextDocument(existing, { preview: false });
  throw new UserError(
    vscode.l10n.t(
      '{0} could not be saved, perhaps because another program changed it at the same time. The unsaved change is in the editor of the file. Save or revert the file there.',
      label,
    ),
  );
}

function attempt(edit: () => string, label: string): string {
  try {
    return edit();
  } catch (error) {
    throw new UserError(vscode.l10n.t('{0} cannot be changed: {1} Correct the file first.', label, messageOf(error)));
  }
}

function userValue(key: SettingKey): unknown {
  return ownValue(writtenSetting(key));
}

function valueIn(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Returns undefined if the file does not exist. Throws if the file exists but cannot be read, because otherwise its
 * content would be overwritten.
 */
async function textOnDisk(uri: vscode.Uri): Promise<string | undefined> {
  try {
    // The text has no byte order mark, like the text in an editor.
    return await readTextUpTo(uri, maxConfigBytes);
  } catch (error) {
    if (
      error instanceof vscode.FileSystemError &&
      (error.code === 'FileNotFound' || error.code === 'FileNotADirectory')
    )
      return undefined;
    throw storageFailure(error, { operation: 'read', thing: nameOfFile(uri) });
  }
}

/** Opens the file as a text document. Returns undefined if the file cannot be opened. */
async function openIfThere(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    // The file does not exist or cannot be read. `textOnDisk` reports which of the two applies.
    return undefined;
  }
}

/** The fields of a server as written. Rejects with a UserError if the place no longer contains the server. */
export async function readFields(name: string, place: OwnPlace): Promise<WrittenFields> {
  const { servers } = await readOwnPlace(place);
  const fields = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (isObject(fields)) return fields;
  throw new UserError(vscode.l10n.t('"{0}" is no longer in {1}.', visibleLine(name), place.label));
}
