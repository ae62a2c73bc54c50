import * as vscode from 'vscode';
import { isObject } from '../../core/base/guards.js';
import { HostError, UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { ServerEntry } from '../../core/registry/serverEntry.js';
import type { ServerField } from '../../core/present/serverFields.js';
import { definitionProblem, readField, serverFields } from '../../core/present/serverFields.js';
import type { OwnPlace } from './ownPlaces.js';
import { readOwnPlace, writeOwnPlace } from './ownPlaces.js';

/** The fields of a server as a list: one is picked, typed and written, and the list is there again until it is left. */
export async function editFields({ name }: ServerEntry, place: OwnPlace): Promise<void> {
  const title = vscode.l10n.t('Edit "{0}"', visibleLine(name, 60));
  let last: string | undefined;
  for (;;) {
    const before = await read(name, place);
    const field = await pickField(title, serverFields(before, vscode.l10n.t), last);
    if (!field) return;
    last = field.name;
    const value = await ask(title, name, field, before);
    if (value === undefined) continue;
    const after = Object.fromEntries([...Object.entries(before).filter(([key]) => key !== field.name || value.value !== undefined).map(([key, old]) => [key, key === field.name ? value.value : old]), ...(Object.hasOwn(before, field.name) || value.value === undefined ? [] : [[field.name, value.value]])]) as Record<string, unknown>;
    await writeOwnPlace(place, { servers: { [name]: after } });
  }
}

/** For scripts: sets fields; null takes one away. What cannot be used is not written. */
export async function setFields({ name }: ServerEntry, place: OwnPlace, fields: unknown): Promise<void> {
  if (!isObject(fields)) throw new HostError('invalid-arguments', vscode.l10n.t('The argument needs "fields", an object; null takes a field away.'));
  const after = Object.fromEntries(Object.entries({ ...(await read(name, place)), ...fields }).filter(([, value]) => value !== null));
  const problem = definitionProblem(name, after);
  if (problem !== undefined) throw new HostError('invalid-arguments', problem);
  await writeOwnPlace(place, { servers: { [name]: after } });
}

async function read(name: string, place: OwnPlace): Promise<Record<string, unknown>> {
  const { servers } = await readOwnPlace(place);
  const fields = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (isObject(fields)) return fields;
  throw new UserError(vscode.l10n.t('"{0}" is not in {1} any more.', visibleLine(name), place.label));
}

async function pickField(title: string, fields: readonly ServerField[], last: string | undefined): Promise<ServerField | undefined> {
  const items = fields.map((field) => ({ label: field.name, description: field.shown === undefined ? '' : visibleLine(field.shown, 200), detail: field.description, field }));
  // What was edited last is at hand again.
  items.sort((a, b) => Number(b.label === last) - Number(a.label === last));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Which field? Each is written when you press Enter; Escape ends.'), matchOnDetail: true });
  return picked?.field;
}

/** Undefined: left. The problem stands under the field as one types. */
async function ask(title: string, name: string, field: ServerField, before: Readonly<Record<string, unknown>>): Promise<{ value: unknown } | undefined> {
  const problemOf = (line: string): string | undefined => {
    const answer = readField(field, line, vscode.l10n.t);
    return 'problem' in answer ? answer.problem : definitionProblem(name, Object.fromEntries(Object.entries({ ...before, [field.name]: answer.value }).filter(([, value]) => value !== undefined)));
  };
  const line = await vscode.window.showInputBox({ title: `${title}: ${field.name}`, prompt: vscode.l10n.t('{0}. An empty line takes it away.', field.description), value: field.text ?? '', ignoreFocusOut: true, validateInput: problemOf });
  if (line === undefined) return undefined;
  const answer = readField(field, line, vscode.l10n.t);
  return 'value' in answer ? answer : undefined;
}
