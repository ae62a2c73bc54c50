/** Servers that come from elsewhere, made to fit among those that are there. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/guards.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import type { PortableServer, Loss } from './portableServer.js';
import { mapServerTexts } from './texts.js';

/** What a place of ours has already. */
export interface OwnContent {
  servers: Readonly<Record<string, unknown>>;
  inputs: readonly InputDefinition[];
}

export interface Merged {
  /** Under names that are free. */
  servers: { server: PortableServer; /** Its name before. */ from: string }[];
  /** New ones only. */
  inputs: InputDefinition[];
  /** New ids of inputs by their old ones. */
  inputIds: ReadonlyMap<string, string>;
  notes: Loss[];
}

/** A server that is there already in the same words is left out; one with a name that is taken gets another. */
export function mergeOwn(
  there: OwnContent,
  servers: readonly PortableServer[],
  inputs: readonly InputDefinition[],
): Merged {
  const notes: Loss[] = [];
  const inputIds = new Map<string, string>();
  const newInputs: InputDefinition[] = [];
  const takenIds = new Set(there.inputs.map(({ id }) => id));
  for (const input of inputs) {
    const twin = there.inputs.find(({ id }) => id === input.id);
    if (twin && isDeepStrictEqual(twin, input)) continue;
    const id = free(input.id, takenIds);
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
            text.replace(/\$\{input:([^}]+)\}/g, (whole, id: string) =>
              inputIds.has(id) ? `\${input:${inputIds.get(id)}}` : whole,
            ),
          );
    const twin = Object.hasOwn(there.servers, server.name) ? there.servers[server.name] : undefined;
    if (isObject(twin) && isDeepStrictEqual(withoutDefaults(twin), withoutDefaults(fields))) {
      notes.push({ server: server.name, field: '', message: 'It is there already.' });
      continue;
    }
    const name = free(server.name, taken);
    taken.add(name);
    if (name !== server.name)
      notes.push({ server: server.name, field: '', message: `The name is taken; it is called "${name}" here.` });
    merged.push({ server: { name, fields }, from: server.name });
  }
  return { servers: merged, inputs: newInputs, inputIds, notes };
}

function free(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) if (!taken.has(`${wanted}-${number}`)) return `${wanted}-${number}`;
}

function withoutDefaults(fields: Readonly<Record<string, unknown>>): unknown {
  const isDefault = ([name, value]: [string, unknown]) =>
    (name === 'type' && value === 'stdio') ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter((entry) => !isDefault(entry)));
}
