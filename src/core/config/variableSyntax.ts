/** Finds the variables in the texts of a definition, without filling them in. */
import { debugpyPathOf } from './dev.js';
import { oauthTexts } from './oauthDefinition.js';
import { nestedTexts } from '../base/nestedTexts.js';
import type { InputDefinition, ServerDefinition } from './serverDefinition.js';

/** A part of a text with variables: plain text or one variable. */
export interface TemplatePart {
  isVariable: boolean;
  /** Plain text or, for a variable, the text between the braces. */
  text: string;
}

/**
 * Splits a text in linear time. A `${` without a closing brace yields a variable that extends to the end of the text
 * and has no value.
 */
export function* partsOf(text: string): Generator<TemplatePart> {
  let at = 0;
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', at)) {
    const close = text.indexOf('}', open + 2);
    if (close === open + 2) {
      yield { isVariable: false, text: text.slice(at, close + 1) };
    } else {
      yield { isVariable: false, text: text.slice(at, open) };
      yield { isVariable: true, text: text.slice(open + 2, close === -1 ? text.length : close) };
      if (close === -1) return;
    }
    at = close + 1;
  }
  yield { isVariable: false, text: text.slice(at) };
}

/** Replaces each variable in a text. An unclosed `${` is always the last part and is kept unchanged. */
export function mapVariables(text: string, replace: (variable: string) => string): string {
  const parts = [...partsOf(text)];
  return parts
    .map((part, index) =>
      !part.isVariable ? part.text : index === parts.length - 1 ? `\${${part.text}` : replace(part.text),
    )
    .join('');
}

/** The variables of a definition, as written between the braces, each once. */
export function collectVariables(definition: ServerDefinition): string[] {
  const names = new Set<string>();
  for (const text of textsOf(definition))
    if (text.includes('${')) for (const part of partsOf(text)) if (part.isVariable) names.add(part.text);
  return [...names];
}

/**
 * The names after this prefix of all variables in the texts of a JSON value, each once: `token` for `${input:token}` and
 * the prefix `input:`.
 */
export function variablesIn(value: unknown, prefix: 'env:' | 'input:'): Set<string> {
  const names = new Set<string>();
  for (const { text } of nestedTexts(value))
    for (const part of partsOf(text))
      if (part.isVariable && part.text.startsWith(prefix)) names.add(part.text.slice(prefix.length));
  return names;
}

/** `NAME` or `NAME:-default`. */
export const portableVariable = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/;

/** Variables without a colon that have the same meaning in every file, although they look like those of `.mcp.json`. */
const plainVariables: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
]);

/** Whether a variable, as written between the braces, exists only in `.mcp.json`: `NAME` and `NAME:-default`. */
export function isPortableOnly(variable: string): boolean {
  return portableVariable.test(variable) && !plainVariables.has(variable);
}

/** The inputs of a source that the variables of a definition use, in the order of the definition. */
export function inputsNamedBy(
  definition: ServerDefinition,
  inputs: ReadonlyMap<string, InputDefinition>,
): InputDefinition[] {
  if (inputs.size === 0) return [];
  return collectVariables(definition).flatMap((variable) =>
    variable.startsWith('input:') ? (inputs.get(variable.slice('input:'.length)) ?? []) : [],
  );
}

/** The texts of a definition that can contain variables. */
export function textsOf(definition: ServerDefinition): string[] {
  if (definition.type === 'builtin') return [];
  if (definition.type !== 'stdio')
    return [
      definition.url,
      definition.caFile ?? '',
      ...Object.values(definition.headers),
      ...(definition.oauth ? oauthTexts(definition.oauth) : []),
    ];
  const { command, args, cwd, envFile, env } = definition;
  return [
    command,
    ...args,
    cwd ?? '',
    envFile ?? '',
    debugpyPathOf(definition) ?? '',
    ...Object.values(env).map((value) => value ?? ''),
  ];
}
