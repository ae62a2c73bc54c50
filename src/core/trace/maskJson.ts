/**
 * Masks secrets in JSON text, token by token. Other text is kept exactly, including numbers of any length and duplicate
 * names. Text that is truncated or contains invalid JSON is masked as far as it can be read.
 */
import { dots } from '../base/secretFinder.js';
import { isSecretName, isSecretNumberName } from '../../shared/secretNames.js';
import type { SecretPlace } from './secretPlaces.js';

/** How strings in the JSON are masked. */
export interface TextMask {
  /**
   * Masks a complete string. `isWritten` means that the message contains the string without escapes, so that the final
   * pass over the whole message finds known secrets in it.
   */
  whole(text: string, depth: number, isWritten: boolean): string;
  /** Masks the beginning of a truncated string. */
  beginning(text: string, depth: number): string;
}

interface Container {
  isArray: boolean;
  place: SecretPlace | undefined;
  /** Whether everything in the container is secret. */
  isSecret: boolean;
  /** For an array, the name of the member that contains it. */
  name: string;
  /** The last value of `name` in the container, for lists of `{ name, value }`. */
  called: string;
}

const backslash = 92;
/** Maximum depth of nested containers that are tracked. */
const maxDepth = 1_000;
const token = /["{}[\]]|-?\d[\d.eE+-]*/g;
const escape = /\\(?:u([0-9a-f]{4})|(["\\/bfnrt])|u[0-9a-f]{0,3}$|$)/gi;
const plainEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Masks the secrets in a JSON text.
 * @param depth the number of JSON strings that the text is nested in; 0 for a message.
 */
export function maskJson(text: string, mask: TextMask, place: SecretPlace | undefined, depth = 0): string {
  const pieces: string[] = [];
  let done = 0;
  const replace = (from: number, to: number, by: string) => {
    pieces.push(text.slice(done, from), by);
    done = to;
  };
  const containers: Container[] = [];
  let tooDeep = 0;
  let inside: Container = { isArray: true, place: place && { items: place }, isSecret: false, name: '', called: '' };
  let name = '';
  const tokens = new RegExp(token);
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const mark = found[0][0];
    const here = placeOf(inside, name);
    const isSecret = inside.isSecret || here?.isSecret === true;
    const named = inside.isArray ? inside.name : name;
    if (mark === '{' || mark === '[') {
      if (containers.length >= maxDepth) tooDeep++;
      else {
        containers.push(inside);
        inside = { isArray: mark === '[', place: here, isSecret, name: mark === '[' ? named : '', called: '' };
      }
      name = '';
    } else if (mark === '}' || mark === ']') {
      if (tooDeep > 0) tooDeep--;
      else inside = containers.pop() ?? inside;
      name = '';
    } else if (mark === '"') {
      const from = found.index + 1;
      const to = endOfText(text, from);
      tokens.lastIndex = to + 1;
      const written = text.slice(from, to);
      const isKey = !inside.isArray && isFollowedByColon(text, to + 1);
      if (isKey) name = unescaped(written);
      const hide =
        !isKey &&
        written !== '' &&
        (isSecret || isSecretName(named) || (named === 'value' && isSecretName(inside.called)));
      if (!isKey && named === 'name') inside.called = written.slice(0, 200);
      const masked = hide ? dots : maskWritten(written, mask, depth, to >= text.length);
      if (masked !== written) replace(from, to, masked);
    } else if (isSecret || isSecretNumberName(named)) {
      replace(found.index, found.index + found[0].length, `"${dots}"`);
    } else if (found[0].length > 3 && mask.whole(found[0], depth, false) !== found[0]) {
      replace(found.index, found.index + found[0].length, `"${dots}"`);
    }
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(done);
}

function placeOf({ isArray, place }: Container, name: string): SecretPlace | undefined {
  if (!place) return undefined;
  return isArray ? place.items : (place.members?.get(name) ?? place.rest);
}

/** The index of the closing quote, or the end of the text if there is none. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (at - slashes > from && text.charCodeAt(at - slashes - 1) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return text[at] === ':';
}

function maskWritten(written: string, mask: TextMask, depth: number, isCut: boolean): string {
  const text = unescaped(written);
  const masked = isCut ? mask.beginning(text, depth) : mask.whole(text, depth, text === written);
  return masked === text ? written : JSON.stringify(masked).slice(1, -1);
}

/** Decodes escapes. An incomplete escape at the end of the text is removed. */
function unescaped(written: string): string {
  if (!written.includes('\\')) return written;
  return written.replace(escape, (_, code: string | undefined, letter: string | undefined) =>
    code !== undefined
      ? String.fromCharCode(parseInt(code, 16))
      : letter === undefined
        ? ''
        : (plainEscapes[letter] ?? letter),
  );
}
