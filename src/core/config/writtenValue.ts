import { createHash } from 'node:crypto';
import { exactText } from '../base/exactText.js';
import { isSecretName, isTokenText, looksSecret } from '../../shared/secretNames.js';
import { isLoaderVariable } from './loaderVariables.js';
import { partsOf } from './variableSyntax.js';

/** Minimum length of literal text that may be a secret, in UTF-16 code units. Shorter text is a separator. */
const minSecretPart = 4;

/** Ends of names whose values are programs, files, or hosts, although their other words may sound secret. */
const namesPlace = new RegExp(
  `(?:${[
    ...['cmd', 'command', 'helper', 'script', 'program', 'exec', 'bin', 'package', 'image', 'module', 'plugin'],
    ...['file', 'path', 'dir', 'host', 'server', 'registry', 'endpoint'],
  ].join('|')})$`,
  'i',
);

/**
 * `NAME=value` or `Name: value` exactly as written, with its variables. A literal secret is replaced by the beginning
 * of its SHA-256: the secret is hidden, but a change to it is visible.
 */
export function writtenValue(name: string, separator: '=' | ': ', value: string): string {
  return `${exactText(name, separator === '=' ? /=/ : /:/)}${separator}${hashedSecretValue(name, value)}`;
}

/** One value, formatted by its name as in `writtenValue`. */
export function hashedSecretValue(name: string, value: string): string {
  const [scheme = ''] = /^(?:Bearer|Basic|Token|Digest) +/i.exec(value) ?? [];
  const rest = value.slice(scheme.length);
  const isSecret = isSecretName(name) || scheme !== '';
  if (isLoaderVariable(name) || namesPlace.test(name) || rest === '') return exactText(value);
  if (!isSecret && !looksSecret(name, rest)) return exactText(value);
  if (!canBeSecret(rest, isSecret) || connectionPasswords(judged(value)).length > 0)
    return withoutSecretParts(value, isSecret);
  const parts = [...partsOf(rest)];
  if (parts.every(({ isVariable }) => !isVariable)) return `${scheme}${secretDigest(value)}`;
  const literals = parts.map(({ isVariable, text }) => (isVariable ? defaultOf(text) : text));
  // A text with several fields may name the host that gets the values of the variables.
  if (literals.some((text) => /[,:;=?@[\]]/.test(text))) return withoutSecretParts(value, isSecret);
  if (!parts.some(({ isVariable }, index) => (literals[index] ?? '').length >= (isVariable ? 1 : minSecretPart)))
    return exactText(value);
  // The text contains the scheme, a digest of the whole value, and the variables.
  const variables = parts.flatMap((part) => (part.isVariable ? [`\${${exactText(withoutDefault(part.text))}}`] : []));
  return `${scheme}${secretDigest(value)} with ${variables.join(', ')}`;
}

/** Whether a value can decide which host, file or code a program uses: all but single words with other names. */
export function canBePlace(name: string, value: string): boolean {
  return namesPlace.test(name) || !/^[A-Za-z]*$/.test(value);
}

/** Stands for each character of a variable, whose value is not known. */
const unknown = '\ue000';
const word = `[\\p{L}\\p{N}_${unknown}-]`;
const dot = '[.\\u3002\\uff0e\\uff61]';
/** A URL, a path, a port, an IPv6 address, a host as a number, an encoded dot, or the field of a host. */
const place = new RegExp(
  `://|${word}[/\\\\]|[/\\\\]${word}|[^:]:(?:\\d{1,5}|${unknown}+)(?!${word})|::|[0-9a-f]:[0-9a-f]{1,4}:[0-9a-f]|` +
    `(?:^|@)(?:\\d{8,10}|\\d{1,3}\\.\\d{4,8}|0x[0-9a-f]+|0[0-7]{10,11})(?!${word})|%2e|` +
    `^(?:[a-z]+\\+[a-z]+|tcp|udp|np):|(?:host|hostname|server|addr|address|endpoint|source|ur[il]|proxy|dsn) *=`,
  'iu',
);
/** A dot in the name of a host, a file or a module. */
const dotted = new RegExp(`${word}${dot}${word}`, 'u');
/** The same before a word that a name can end with. Tokens can also contain dots, but before longer or mixed words. */
const dottedName = new RegExp(`${word}${dot}(?:[\\p{L}${unknown}-]+|[\\p{L}\\p{N}]{1,4}|xn--[\\w-]+)(?!${word})`, 'iu');

/** @param isSecret whether the name of the value says that it is a secret, so that only clear places count. */
function hasPlace(text: string, isSecret: boolean): boolean {
  const isSentTo = text.includes('@') && text.includes(unknown);
  return isSentTo || place.test(text) || (isSecret ? dottedName : dotted).test(text);
}

/**
 * Whether a value can be the secret itself. Other values are shown: a place may get the values of the variables, and a
 * path, or a text with spaces, quotes or shell metacharacters, may be code that runs.
 */
function canBeSecret(value: string, isSecret: boolean): boolean {
  const literals = [...partsOf(value)].map(({ isVariable, text }) => (isVariable ? defaultOf(text) : text));
  const isCode = literals.some((text) => /^[./~\\]|[\s"'`;|&<>(){}$]/.test(text));
  return !isCode && (!hasPlace(judged(value), isSecret) || isLongToken(value, isSecret));
}

/** Whether a text with dots or slashes has the form of a token, and not that of a place. */
function isLongToken(text: string, isSecret: boolean): boolean {
  if (!isTokenText(text)) return false;
  // The signature is longer than the last part of a host can be.
  if (text.includes('.')) return /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{40,}$/.test(text);
  return isSecret && [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(text));
}

/** The text by which a value is judged, of the same length: variables are unknown, except for the separator of paths. */
function judged(value: string): string {
  let text = '';
  for (const part of partsOf(value)) {
    const initial = part.isVariable ? defaultOf(part.text) : '';
    const filler = /^(?:\/|pathSeparator)$/.test(part.text) ? '/' : unknown;
    text += part.isVariable ? filler.repeat(2 + part.text.length - initial.length) + initial + filler : part.text;
  }
  return text.slice(0, value.length);
}

/** The value as written, in which literal passwords and tokens are replaced by digests. */
function withoutSecretParts(value: string, isSecret: boolean): string {
  const text = judged(value);
  const ranges = [...urlPasswords(text), ...connectionPasswords(text), ...tokens(text)];
  let shown = '';
  let at = 0;
  for (const [start, length] of ranges.sort(([one], [other]) => one - other)) {
    const secret = value.slice(start, start + length);
    if (start < at || secret === '' || !canBeSecret(secret, isSecret)) continue;
    if (start > at) shown += exactText(value.slice(at, start));
    shown += secretDigest(secret);
    at = start + length;
  }
  return at < value.length ? shown + exactText(value.slice(at)) : shown;
}

/** A part of a text: where it starts, and its length. */
type Range = [start: number, length: number];

/** The literal beginnings of the passwords in URLs. */
function urlPasswords(text: string): Range[] {
  const found = text.matchAll(/(:\/\/[^/?#\\@:\s]*:)([^/?#\\@\s]*)@/g);
  return [...found].map(({ index, 1: before = '', 2: password = '' }) => [
    index + before.length,
    beforeVariable(password).length,
  ]);
}

/**
 * The literal beginnings of the passwords of a connection string, `key=value;…` or `host,key=value,…`, or of the query
 * of a URL. Empty if the text can be a script.
 */
function connectionPasswords(text: string): Range[] {
  if (/["'`$%!|<>\n]/.test(text)) return [];
  const ranges: Range[] = [];
  let at = 0;
  for (const field of text.split(text.includes(';') ? /[;&?]/ : /[,&?]/)) {
    const [key = '', ...rest] = field.split('=');
    const isHost = at === 0 || field.includes('://');
    if (rest.length === 0 && field.trim() !== '' && !isHost) return [];
    if (rest.length > 0 && isSecretName(key.trim()))
      ranges.push([at + key.length + 1, beforeVariable(rest.join('=')).length]);
    at += field.length + 1;
  }
  return ranges;
}

/** The parts of an address that have the form of a token. A host can be written as a long number. */
function tokens(text: string): Range[] {
  const hosts = [...text.matchAll(/:\/\/([^/?#\\\s]*)/g)].map(({ index, 1: authority = '' }) => {
    const start = index + 3;
    return { start: start + authority.lastIndexOf('@') + 1, end: start + authority.length };
  });
  let next = 0;
  const ranges: Range[] = [];
  for (const { index, 0: part } of text.matchAll(/[^\s/?#&=:@;,\ue000]+/g)) {
    while ((hosts[next]?.end ?? Infinity) <= index) next++;
    const isOfHost = index >= (hosts[next]?.start ?? Infinity);
    if (!isOfHost && isTokenText(part) && /[a-z]/i.test(part)) ranges.push([index, part.length]);
  }
  return ranges;
}

function beforeVariable(text: string): string {
  const at = text.indexOf(unknown);
  return at === -1 ? text : text.slice(0, at);
}

/** The text to show in place of a secret. It contains the first 48 bits of the secret's SHA-256. */
export function secretDigest(text: string): string {
  return `⟨secret, SHA-256 ${createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 12)}…⟩`;
}

/** The default text of a variable of `.mcp.json`; empty if it has none. */
function defaultOf(variable: string): string {
  return variable.slice(withoutDefault(variable).length + 2);
}

/** The variable without the default after `:-`. */
export function withoutDefault(variable: string): string {
  const at = variable.indexOf(':-');
  return at === -1 ? variable : variable.slice(0, at);
}
