/** Moves secrets and placeholders of pasted servers to inputs, so that no file contains them. */
import { freeName, slugOf } from '../../base/freeName.js';
import { isObject, isStringArray } from '../../base/guards.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import { isSecretSetting } from '../../../shared/secretNames.js';
import type { PortableServer } from '../portableServer.js';
import type { PlainSecret } from '../plainSecrets.js';
import { findSecrets, withInputs } from '../plainSecrets.js';
import { mapServerTexts } from '../portableServer.js';
import { assignmentOf } from './foundServer.js';

/** A server whose secrets and placeholders are replaced by inputs. */
export interface OpenServer {
  server: PortableServer;
  /** The inputs that the variables of the server refer to. */
  inputs: InputDefinition[];
  /** The values of inputs that the text contained. They may be stored only in secret storage. */
  secrets: PlainSecret[];
  /** Names of variables, headers and options whose value the user must enter. */
  needs: string[];
}

/** Maximum number of values of one server that are moved to inputs. */
export const maxOpenValues = 200;

/** The number of values that `withOpenValues` would move to inputs, plus the number of inputs that the server uses. */
export function countOpenValues(pasted: PortableServer): number {
  const { server, placeholders, secrets } = openValuesOf(pasted);
  return placeholders.length + secrets.length + usedInputs(server).size;
}

/**
 * Replaces secrets and placeholders by inputs. `inputs` are the inputs of the text. A user enters each value, so a
 * server should have at most `maxOpenValues`.
 */
export function withOpenValues(pasted: PortableServer, inputs: readonly InputDefinition[] = []): OpenServer {
  const { server, placeholders, secrets } = openValuesOf(pasted);
  const taken = new Set(inputs.map(({ id }) => id));
  const open = [...placeholders, ...secrets].map((one): PlainSecret => {
    const id = freeName(one.id, taken);
    taken.add(id);
    return { ...one, id };
  });
  const hidden = withInputs([server], open);
  const [result = server] = hidden.servers;
  const used = usedInputs(result);
  const own = inputs.filter(({ id }) => used.has(id));
  return {
    server: result,
    inputs: [...own, ...hidden.inputs],
    secrets: open.slice(placeholders.length),
    needs: [...new Set([...placeholders.map(labelOf), ...own.map(({ id }) => used.get(id) ?? id)])],
  };
}

function openValuesOf(pasted: PortableServer): {
  server: PortableServer;
  placeholders: PlainSecret[];
  secrets: PlainSecret[];
} {
  const server = withContainerVariables(pasted);
  const placeholders = placeholdersOf(server);
  const placeOf = ({ field, name }: PlainSecret) => `${field} ${name}`;
  const places = new Set(placeholders.map(placeOf));
  return { server, placeholders, secrets: findSecrets([server]).filter((secret) => !places.has(placeOf(secret))) };
}

/**
 * The inputs that a server uses, each with the name of the first variable or header that contains it, if there is one.
 */
function usedInputs({ fields }: PortableServer): ReadonlyMap<string, string | undefined> {
  const used = new Map<string, string | undefined>();
  const read = (text: string, name?: string) => {
    for (const [, id = ''] of text.matchAll(inputReference)) if (used.get(id) === undefined) used.set(id, name);
  };
  for (const texts of [fields['env'], fields['headers']])
    for (const [name, text] of Object.entries(isObject(texts) ? texts : {}))
      if (typeof text === 'string') read(text, name);
  read(JSON.stringify(fields));
  return used;
}

const inputReference = /\$\{input:([^${}]*)\}/g;

/** The same server with its secrets in plain text, for a definition that is kept in memory only. */
export function withPlainSecrets({ server, inputs, secrets }: OpenServer): Pick<OpenServer, 'server' | 'inputs'> {
  const values = new Map(secrets.map(({ id, value }) => [id, value]));
  const fields = mapServerTexts(server.fields, (text) =>
    text.replace(inputReference, (whole, id: string) => values.get(id) ?? whole),
  );
  return { server: { ...server, fields }, inputs: inputs.filter(({ id }) => !values.has(id)) };
}

/** Whether a value is a placeholder that documentation shows instead of the user's own value. */
function isPlaceholder(name: string, value: string): boolean {
  const text = value.trim();
  if (text.includes('${')) return false;
  if (text === '') return isSecretSetting(name);
  if (text.length > 120) return false;
  if (text.toLowerCase() === name.toLowerCase()) return true;
  return /^<[^<>]+>$|^\{[^{}]*\}$|^\[[^[\]]+\]$|^(?:your|my|insert|enter|replace|paste)(?=[-_ A-Z])|your[-_ ]?(?:own[-_ ]?)?(?:api|access|personal|auth|secret|token|key|password|pat)|[-_ ]here>?$|^x{3,}$|^\*{3,}$|^…$|\.{3}$|^(?:api[-_]?key|token|secret|password|change-?me|todo|placeholder|replace-?me)$/i.test(
    text,
  );
}

function placeholdersOf({ name: server, fields }: PortableServer): PlainSecret[] {
  const found: PlainSecret[] = [];
  const add = (field: PlainSecret['field'], name: string, before: string, value: string, called: string) =>
    void found.push({ server, field, name, before, value, id: slugOf(server, called) || 'value' });
  for (const field of ['env', 'headers'] as const) {
    const texts = fields[field];
    for (const [name, text] of Object.entries(isObject(texts) ? texts : {})) {
      if (typeof text !== 'string') continue;
      const before = field === 'headers' ? (/^(?:Bearer|Basic|Token) */i.exec(text)?.[0] ?? '') : '';
      if (isPlaceholder(name, text.slice(before.length))) add(field, name, before, text.slice(before.length), name);
    }
  }
  const args = isStringArray(fields['args']) ? fields['args'] : [];
  for (const [index, text] of args.entries()) {
    const [, before = '', value = text] = /^(--?[\w-]+=|[\w-]+: ?(?:Bearer )?)([^]*)$/.exec(text) ?? [];
    const option = args[index - 1] ?? '';
    const called = before !== '' ? before : option.startsWith('-') ? option : value;
    if (value !== '' && !/^\[|^\{/.test(value) && isPlaceholder('', value))
      add('args', String(index), before, value, called.replace(/[:=].*$/s, '').replace(/^-+/, ''));
  }
  return found;
}

/**
 * Moves secrets and placeholders in the variables of a container to `env`. With `docker run -e NAME`, docker reads the
 * value from its own environment, so a value that follows the name can move there. If a name has no value, the user
 * must enter one.
 */
function withContainerVariables(server: PortableServer): PortableServer {
  const { command, args, env } = server.fields;
  if (typeof command !== 'string' || !/(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/.test(command)) return server;
  if (!isStringArray(args)) return server;
  const variables = new Map<string, unknown>(Object.entries(isObject(env) ? env : {}));
  const changed = args.map((arg, index) => {
    // `-e NAME`, `-ie NAME`, `--env NAME`, `--env=NAME` and `-eNAME`, each also with a value.
    const option = /^(?:--env|-[A-Za-z]*e)$/.test(args[index - 1] ?? '')
      ? ''
      : /^(?:--env=|-e(?=[A-Z_]))/.exec(arg)?.[0];
    if (option === undefined) return arg;
    const word = arg.slice(option.length);
    const pair = assignmentOf(word);
    if (pair && (isSecretSetting(pair[0]) || isPlaceholder(pair[0], pair[1])) && !variables.has(pair[0])) {
      variables.set(pair[0], pair[1]);
      return option + pair[0];
    }
    if (/^[A-Za-z_]\w*$/.test(word) && isSecretSetting(word) && !variables.has(word)) variables.set(word, '');
    return arg;
  });
  if (variables.size === 0) return server;
  return { ...server, fields: { ...server.fields, args: changed, env: Object.fromEntries(variables) } };
}

function labelOf({ field, name, id, server }: PlainSecret): string {
  return field === 'args' ? id.slice(slugOf(server).length + 1) || id : name;
}
