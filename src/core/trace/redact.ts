/**
 * A message as it may be kept or shown: without the values that are known as secrets, without headers and members whose
 * names say that they hold one. What stays is the same JSON otherwise.
 */
import { isObject } from '../base/guards.js';
import { maskText, maskValue } from '../history/masking.js';
import { parsed } from './traceRecorder.js';

const dots = '•••';
/** Names of headers and members whose value is nobody's business. */
const secretName = /^(?:proxy-)?authorization$|^(?:set-)?cookie2?$|^x-api-key$|^mcp-session-id$|^api[-_]?key$|^(?:client[-_]?)?secret$|^pass(?:word|wd|phrase)$|^(?:access|refresh|id|bearer|auth)[-_]?token$/i;

/** Masks a message's text. */
export function redactText(text: string, secrets: readonly string[]): string {
  const value = parsed(text);
  if (value === undefined) return maskWritten(text, secrets);
  try {
    const named = maskNames(value);
    const isSame = named === value && secrets.length === 0;
    return isSame ? text : maskWritten(JSON.stringify(maskValue(named, secrets)), secrets);
  } catch {
    // Nested so deep that it cannot be walked: masked as text.
    return maskWritten(text, secrets);
  }
}

export function redactHeaders(headers: Readonly<Record<string, string>>, secrets: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [maskText(name, secrets), secretName.test(name) ? dots : maskText(value, secrets)]));
}

/** The beginning of a text that was cut: a secret that the cut went through does not stay in part. */
export function redactBeginning(text: string, secrets: readonly string[]): string {
  // What cannot be read as JSON any more is searched for the same names.
  const unnamed = text.replace(/"([^"\\]{1,40})"(\s*:\s*)"(?:[^"\\]|\\.)*("|$)/g, (member, name: string, colon: string) => (secretName.test(name) ? `"${name}"${colon}"${dots}"` : member));
  const masked = maskWritten(unnamed, secrets);
  const longest = Math.max(0, ...secrets.flatMap((secret) => [secret.length, JSON.stringify(secret).length]));
  for (let length = Math.min(longest, masked.length); length > 0; length--) {
    const tail = masked.slice(-length);
    if (secrets.some((secret) => secret.startsWith(tail) || JSON.stringify(secret).slice(1, -1).startsWith(tail))) return masked.slice(0, -length) + dots;
  }
  return masked;
}

/** Also finds a secret that is written with JSON's escapes. */
function maskWritten(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const escaped = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  // Letters that are written as an escape for no reason hide a secret from whoever looks for it.
  const plain = text.replace(/\\u00([2-7][0-9a-f])/gi, (escape, code: string) => {
    const character = String.fromCharCode(parseInt(code, 16));
    return character === '"' || character === '\\' || character === '\u007f' ? escape : character;
  });
  return maskText(maskText(plain, escaped), secrets);
}

/** The same object when no name in it says that it holds a secret. */
function maskNames(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(maskNames);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, typeof inner === 'string' && secretName.test(name) ? dots : maskNames(inner)]);
  return entries.some(([name, inner]) => inner !== value[name]) ? Object.fromEntries(entries) : value;
}
