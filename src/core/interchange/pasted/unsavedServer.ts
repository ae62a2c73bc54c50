/** A new server that is not saved yet, as a page keeps it while the window reloads: without the values of its secrets. */
import { isObject, isStringArray } from '../../base/guards.js';
import { parseConfigValue } from '../../config/parseConfig.js';
import type { OwnFile } from '../appFormats.js';
import type { OpenServer } from './openValues.js';

/** A server that the user is about to save. */
export interface UnsavedServer extends OpenServer {
  /** Facts about the text that it was read from, as sentences. */
  notes: readonly string[];
  /** The kind of file that the text asks for. */
  place?: OwnFile;
}

const ownFiles: readonly OwnFile[] = ['user', 'vscode', 'portable'];

/** The server as plain data. Its secrets are left out, so the user enters their values when it starts. */
export function keptServer({ server, inputs, secrets, needs, notes, place }: UnsavedServer): Record<string, unknown> {
  const lost = secrets.map(({ field, name, id }) => (field === 'args' ? id : name));
  return { server, inputs, needs: [...new Set([...needs, ...lost])], notes, ...(place && { place }) };
}

/** The server that a page kept. Undefined if the value is not one. */
export function restoredServer(value: unknown): UnsavedServer | undefined {
  if (!isObject(value)) return undefined;
  const { server, inputs, needs, notes, place } = value;
  if (!isObject(server) || typeof server['name'] !== 'string' || !isObject(server['fields'])) return undefined;
  if (!isStringArray(needs) || !isStringArray(notes)) return undefined;
  const file = ownFiles.find((one) => one === place);
  return {
    server: { name: server['name'], fields: server['fields'] },
    inputs: parseConfigValue({}, { id: 'new', kind: 'user', label: '' }, inputs).inputs,
    secrets: [],
    needs,
    notes,
    ...(file && { place: file }),
  };
}
