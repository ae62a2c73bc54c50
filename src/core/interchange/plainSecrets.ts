/** Finds secrets in plain text in a configuration and replaces them with inputs. */
import type { InputDefinition } from '../config/serverDefinition.js';
import type { PortableServer } from './portableServer.js';
import { slugOf } from '../base/freeName.js';
import { isObject, isStringArray } from '../base/guards.js';
import { looksSecret } from '../../shared/secretNames.js';

/** One value that looks like a secret. */
export interface PlainSecret {
  server: string;
  /** `env`, `headers` or `args`. */
  field: 'env' | 'headers' | 'args';
  /** The name of the variable or header, or the index of the argument. */
  name: string;
  /** The text before the secret, which is kept: `Bearer `, `--token=`. */
  before: string;
  value: string;
  /** The ID of the input that replaces the secret. */
  id: string;
}

/** The secrets in these servers, each with a unique ID for its input. */
export function findSecrets(servers: readonly PortableServer[]): PlainSecret[] {
  const found: PlainSecret[] = [];
  const ids = new Set<string>();
  /** The last number that was appended to each ID, because trying all numbers would take quadratic time. */
  const last = new Map<string, number>();
  const add = (
    server: string,
    field: PlainSecret['field'],
    name: string,
    before: string,
    value: string,
    called: string,
  ) => {
    const base = slugOf(server, called) || 'secret';
    let number = last.get(base) ?? 1;
    let id = number === 1 ? base : `${base}-${number}`;
    while (ids.has(id)) id = `${base}-${++number}`;
    last.set(base, number);
    ids.add(id);
    found.push({ server, field, name, before, value, id });
  };
  for (const { name: server, fields } of servers) {
    for (const field of ['env', 'headers'] as const) {
      const texts = fields[field];
      for (const [name, text] of Object.entries(isObject(texts) ? texts : {})) {
        if (typeof text !== 'string') continue;
        const before = field === 'headers' ? (/^(?:Bearer|Basic|Token) +/i.exec(text)?.[0] ?? '') : '';
        const value = text.slice(before.length);
        if (looksSecret(name, value) || (before !== '' && looksSecret('authorization', value)))
          add(server, field, name, before, value, name);
      }
    }
    const args = isStringArray(fields['args']) ? fields['args'] : [];
    for (const [index, text] of args.entries()) {
      const option = args[index - 1] ?? '';
      const isAfterOption = /^--?[A-Za-z]/.test(option);
      // `--token=value`, `NAME=value` and `--env=NAME=value`. `NAME=` that ends the word or precedes another `=` is
      // not split off, because it may be the end of a base64 text.
      const [, assigned = '', variable = '', rest = ''] =
        /^(--?[\w-]+=)?([A-Za-z_]\w*=(?=[^=]))?([^]*)$/.exec(text) ?? [];
      const before = assigned + variable;
      if (text.startsWith('-') ? assigned !== '' : variable !== '') {
        const name = variable || assigned;
        if (looksSecret(name.slice(0, -1), rest)) {
          add(server, 'args', String(index), before, rest, name);
          continue;
        }
      }
      if (!text.startsWith('-') && looksSecret(isAfterOption ? option : '', text))
        add(server, 'args', String(index), '', text, isAfterOption ? option : 'argument');
    }
  }
  return found;
}

/** The servers with these secrets replaced by inputs. The result does not contain the secrets. */
export function withInputs(
  servers: readonly PortableServer[],
  secrets: readonly PlainSecret[],
): { servers: PortableServer[]; inputs: InputDefinition[] } {
  /** The new texts by server, field, and name of the value. One map, so that many secrets cost linear time. */
  const texts = new Map(
    secrets.map(({ server, field, name, before, id }) => [
      JSON.stringify([server, field, name]),
      `${before}\${input:${id}}`,
    ]),
  );
  const changed = servers.map((server) => {
    const fields: Record<string, unknown> = { ...server.fields };
    for (const field of ['env', 'headers', 'args'] as const) {
      const replaced = (name: string, item: unknown) => texts.get(JSON.stringify([server.name, field, name])) ?? item;
      const value = fields[field];
      if (Array.isArray(value)) fields[field] = value.map((item: unknown, index) => replaced(String(index), item));
      else if (isObject(value))
        fields[field] = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(key, item)]));
    }
    return { ...server, fields };
  });
  return {
    servers: changed,
    inputs: secrets.map(({ id, server, name, field }) => ({
      id,
      type: 'promptString',
      description: `${field === 'args' ? 'Argument' : name} of ${server}`,
      password: true,
    })),
  };
}
