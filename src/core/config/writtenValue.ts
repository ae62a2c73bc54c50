import { createHash } from 'node:crypto';
import { exactText } from '../base/exactText.js';
import { isSecretName, looksSecret } from '../../shared/secretNames.js';
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
  const parts = [...partsOf(rest)];
  const literals = parts.map((part) => (part.isVariable ? defaultOf(part.text) : part.text));
  // A value that can act like code is shown completely.
  if (isLoaderVariable(name) || namesPlace.test(name) || rest === '' || !literals.every(isToken))
    return exactText(value);
  const isSecret = isSecretName(name) || scheme !== '';
  const isLiteral = parts.every(({ isVariable }) => !isVariable);
  if (isLiteral) return isSecret || looksSecret(name, rest) ? `${scheme}${digest(value)}` : exactText(value);
  const holdsSecret = parts.some((part, index) =>
    part.isVariable ? literals[index] !== '' : part.text.length >= minSecretPart,
  );
  if (!isSecret || !holdsSecret) return exactText(value);
  // The text contains the scheme, a digest of the whole value, and the variables.
  const variables = parts.flatMap((part) => (part.isVariable ? [`\${${exactText(withoutDefault(part.text))}}`] : []));
  return `${scheme}${digest(value)} with ${variables.join(', ')}`;
}

/**
 * Whether a text can be a secret. A path, or a text with spaces, quotes or shell metacharacters, may be code that runs,
 * so it is shown.
 */
function isToken(text: string): boolean {
  return !/^[./~\\]|[\s"'`;|&<>(){}$]/.test(text);
}

/** The text to show in place of a secret. It contains the first 48 bits of the secret's SHA-256. */
function digest(text: string): string {
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
