/** A server as text for the clipboard. Values that may be secret become inputs, so the text contains none. */
import { freeName, slugOf } from '../base/freeName.js';
import { isObject, isStringArray } from '../base/guards.js';
import { maskText } from '../base/masking.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import { carriedDefinition } from '../interchange/carriedDefinition.js';
import { argumentsText } from '../present/text/jsonText.js';
import { displayArguments } from '../present/tree/serverTooltip.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { isSecretName, isSecretParameter, isSecretSetting, isTokenText } from '../../shared/secretNames.js';

type Copied = Pick<ServerEntry, 'name' | 'definition' | 'source' | 'isEnabled' | 'inputs'>;

/**
 * The server as a configuration that `.vscode/mcp.json` and *Add Server…* accept.
 *
 * @param secrets values that must not be copied.
 */
export function copiedJson(entry: Copied, secrets: readonly string[]): string {
  const { fields, inputs } = withoutSecrets(entry);
  const text = argumentsText({
    servers: { [entry.name]: fields },
    ...(inputs.length > 0 ? { inputs } : {}),
  });
  return maskText(text, secrets);
}

/** The command line of a local server, or the URL of another one. Undefined for the built-in server. */
export function copiedLine(entry: Copied, secrets: readonly string[]): string | undefined {
  const { command, args, url } = withoutSecrets(entry).fields;
  const words = typeof command === 'string' ? [command, ...(isStringArray(args) ? args : [])] : [];
  const line = words.length > 0 ? words.map(quoted).join(' ') : typeof url === 'string' ? url : undefined;
  return line === undefined ? undefined : maskText(line, secrets);
}

function withoutSecrets(entry: Copied): { fields: Record<string, unknown>; inputs: readonly InputDefinition[] } {
  const hidden = new Map<string, InputDefinition>();
  const taken = new Set(entry.inputs.map(({ id }) => id));
  /** The reference to an input that replaces a secret. */
  const reference = (name: string): string => {
    const id = freeName(slugOf(entry.name, name) || 'value', taken);
    taken.add(id);
    hidden.set(id, { id, type: 'promptString', description: `${name} of ${entry.name}`, password: true });
    return `\${input:${id}}`;
  };
  const walk = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return isHidden(name, value) ? reference(name) : value;
    if (Array.isArray(value)) return value.map((item) => walk(item, name));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, key)]));
  };
  const settings = (value: unknown): unknown =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, text]) => {
            if (typeof text !== 'string' || !isLiteral(text)) return [name, text];
            const before = /^(?:Bearer|Basic|Token) +/i.exec(text)?.[0] ?? '';
            const isSecret = before !== '' || isSecretSetting(name) || isTokenText(text);
            return [name, isSecret && text !== '' ? before + reference(name) : text];
          }),
        )
      : value;
  const fields = Object.fromEntries(
    Object.entries(carriedDefinition(entry).fields).map(([name, value]) => {
      if (name === 'env' || name === 'headers') return [name, settings(value)];
      if (name === 'args' && isStringArray(value)) return [name, openArguments(value, reference)];
      if (name === 'url' && typeof value === 'string') return [name, openUrl(value, reference)];
      return [name, walk(value, name)];
    }),
  );
  return { fields, inputs: [...entry.inputs, ...hidden.values()] };
}

/** Whether a text has a part of its own, beside references to variables. */
function isLiteral(text: string): boolean {
  return !text.includes('${') || text.replace(/\$\{[^}]*\}/g, '').length >= 8;
}

function isHidden(name: string, text: string): boolean {
  return text !== '' && isLiteral(text) && (isSecretName(name) || isTokenText(text));
}

/** Arguments, with a reference in each place that the views of MCP Deck hide. */
function openArguments(args: readonly string[], reference: (name: string) => string): string[] {
  return displayArguments(args).map((shown, index) => {
    const arg = args[index] ?? '';
    if (shown === arg || !isLiteral(arg)) return arg;
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(arg)) return openUrl(arg, reference);
    const header = /^([\w-]+): */.exec(arg);
    if (header) return header[0] + reference(header[1] ?? '');
    // The argument before may be a secret itself, unless it is an option.
    const before = args[index - 1] ?? '';
    const option = /^-{0,2}([^=\s]*)=/.exec(arg)?.[1] ?? (before.startsWith('-') ? before.replace(/^-+/, '') : '');
    return shown.replace('…', () => reference(option || 'argument'));
  });
}

/** A URL without user and password. Secret parameters and parts of the path become references. */
function openUrl(url: string, reference: (name: string) => string): string {
  const found = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^?#]*)(\?[^#]*)?/i.exec(url);
  if (!found) return url;
  const [, scheme = '', place = '', query = ''] = found;
  const path = place
    .split('/')
    .map((part) => (isTokenText(part) ? reference('url') : part))
    .join('/');
  const parameters = query
    .slice(1)
    .split('&')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const value = rest.join('=');
      const isSecret = isSecretParameter(name) || isSecretSetting(name) || isTokenText(value) || isTokenText(pair);
      return isSecret && isLiteral(pair) ? `${rest.length > 0 ? `${name}=` : ''}${reference(name || 'url')}` : pair;
    });
  return `${scheme}${path}${query === '' ? '' : `?${parameters.join('&')}`}`;
}

/** Quotes a word when necessary, so that *Add Server…* reads the same words. */
function quoted(text: string): string {
  return text !== '' && /^[\w@%+=:,./\\~${}-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
