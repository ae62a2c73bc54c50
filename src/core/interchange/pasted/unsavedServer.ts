/** Keeps an unsaved server while the window reloads. The values of its secrets are not kept. */
import { isObject, isStringArray } from '../../base/guards.js';
import { parseConfigValue } from '../../config/parseConfig.js';
import type { OwnFile } from '../appFormats.js';
import type { OpenServer } from './openValues.js';

/** A server that the user is about to save. */
export interface UnsavedServer extends OpenServer {
  /** Facts about the pasted text, as sentences for the user. */
  notes: readonly string[];
  /** The file or setting in which the pasted command would save the server. */
  place?: OwnFile;
}

const ownFiles: readonly OwnFile[] = ['user', 'vscode', 'portable'];

/** The server as plain data, without the values of its secrets, which the user must enter when the server starts. */
export function keptServer({ server, inputs, secrets, needs, notes, place }: UnsavedServer): Record<string, unknown> {
  const lost = secrets.map(({ field, name, id }) => (field === 'args' ? id : name));
  return { server, inputs, needs: [...new Set([...needs, ...lost])], notes, ...(place && { place }) };
}

/** Restores a server from the result of `keptServer`. Undefined if the value is not such a result. */
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
