import { createHash } from 'node:crypto';
import { exactText } from '../base/exactText.js';
import { isSecretName, looksSecret } from '../../shared/secretNames.js';
import { isLoaderVariable } from './loaderVariables.js';
import { partsOf } from './variables.js';

/** Shorter texts between variables are separators. */
const minSecretPart = 4;

/**
 * `NAME=value` or `Name: value` as it is written, exactly, with its variables. A literal secret is replaced by the beginning
 * of its SHA-256, so that it is not shown and a change of it is.
 */
export function writtenValue(name: string, separator: '=' | ': ', value: string): string {
  return `${exactText(name, separator === '=' ? /=/ : /:/)}${separator}${shownValue(name, value)}`;
}

/** One value by its name, as `writtenValue` shows it. */
export function shownValue(name: string, value: string): string {
  const [scheme = ''] = /^(?:Bearer|Basic|Token|Digest) +/i.exec(value) ?? [];
  const rest = value.slice(scheme.length);
  // What changes what a program loads is code, whatever it looks like.
  if (isLoaderVariable(name) || rest === '') return exactText(value);
  const isSecret = isSecretName(name) || scheme !== '';
  const parts = [...partsOf(rest)];
  const isLiteral = parts.every(({ isVariable }) => !isVariable);
  if (isLiteral) return isSecret || looksSecret(name, rest) ? `${scheme}${digest(value)}` : exactText(value);
  const holdsSecret = parts.some((part) =>
    part.isVariable ? hasDefault(part.text) : part.text.length >= minSecretPart,
  );
  if (!isSecret || !holdsSecret) return exactText(value);
  // The variables, for reading, and a digest over all of it.
  const variables = parts.flatMap((part) => (part.isVariable ? [`\${${exactText(withoutDefault(part.text))}}`] : []));
  return `${scheme}${digest(value)} with ${variables.join(', ')}`;
}

/** The beginning of the SHA-256 of a text: 48 bits. */
export function digest(text: string): string {
  return `⟨secret, SHA-256 ${createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 12)}…⟩`;
}

/** A variable of `.mcp.json` with a text that is used where the environment has none. */
function hasDefault(variable: string): boolean {
  return variable.length > withoutDefault(variable).length + 2;
}

/** What stands before `:-`. */
export function withoutDefault(variable: string): string {
  const at = variable.indexOf(':-');
  return at === -1 ? variable : variable.slice(0, at);
}
