/** Merges new servers into the existing servers of one of our files or settings. */
import { mapVariables } from '../config/variableSyntax.js';
import { isDeepStrictEqual } from 'node:util';
import { freeName } from '../base/freeName.js';
import { isObject } from '../base/guards.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import type { PortableServer, Loss } from './portableServer.js';
import { mapServerTexts } from './portableServer.js';

/** The content of one of our own files or settings. */
export interface OwnContent {
  servers: Readonly<Record<string, unknown>>;
  inputs: readonly InputDefinition[];
}

export interface Merged {
  /** The servers, each under a name that is not in use yet. */
  servers: { server: PortableServer; /** The name before the merge. */ from: string }[];
  /** The inputs that do not exist yet. */
  inputs: InputDefinition[];
  /** The new IDs of inputs, by old ID. */
  inputIds: ReadonlyMap<string, string>;
  notes: Loss[];
}

/**
 * Merges servers. A server that already exists with identical fields is left out. A server whose name is in use gets
 * another name.
 */
export function mergeOwn(
  there: OwnContent,
  servers: readonly PortableServer[],
  inputs: readonly InputDefinition[],
): Merged {
  const notes: Loss[] = [];
  const inputIds = new Map<string, string>();
  const newInputs: InputDefinition[] = [];
  const existing = new Map(there.inputs.map((input) => [input.id, input]));
  const takenIds = new Set(existing.keys());
  for (const input of inputs) {
    const sameId = existing.get(input.id);
    if (sameId && isDeepStrictEqual(sameId, input)) continue;
    const id = freeName(input.id, takenIds);
    takenIds.add(id);
    if (id !== input.id) inputIds.set(input.id, id);
    newInputs.push({ ...input, id });
  }
  const taken = new Set(Object.keys(there.servers));
  const merged: Merged['servers'] = [];
  for (const server of servers) {
    const fields =
      inputIds.size === 0
        ? server.fields
        : mapServerTexts(server.fields, (text) =>
            mapVariables(text, (variable) => {
              const id = variable.startsWith('input:') ? inputIds.get(variable.slice('input:'.length)) : undefined;
              return id === undefined ? `\${${variable}}` : `\${input:${id}}`;
            }),
          );
    const sameName = Object.hasOwn(there.servers, server.name) ? there.servers[server.name] : undefined;
    if (isObject(sameName) && isDeepStrictEqual(withoutDefaults(sameName), withoutDefaults(fields))) {
      notes.push({ server: server.name, field: '', message: 'It already exists.' });
      continue;
    }
    const name = freeName(server.name, taken);
    taken.add(name);
    if (name !== server.name)
      notes.push({
        server: server.name,
        field: '',
        message: `The name is in use, so the server is called "${name}" here.`,
      });
    merged.push({ server: { name, fields }, from: server.name });
  }
  return { servers: merged, inputs: newInputs, inputIds, notes };
}

function withoutDefaults(fields: Readonly<Record<string, unknown>>): unknown {
  const isDefault = ([name, value]: [string, unknown]) =>
    (name === 'type' && value === 'stdio') ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter((entry) => !isDefault(entry)));
}
