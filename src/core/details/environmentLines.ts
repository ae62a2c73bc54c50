import { visibleLine } from '../base/hostileText.js';
import type { StdioDefinition } from '../config/serverDefinition.js';
import { collectVariables } from '../config/variables.js';
import { isSecretSetting, looksSecret } from '../../shared/secretNames.js';
import type { EnvironmentLine } from '../../shared/serverPage.js';

/** Values longer than this are cut; a PATH of many folders fits. */
const maxValueLength = 2_000;
/** Stands in the place of a secret. */
export const dots = '•••';

export interface EnvironmentSources {
  definition: StdioDefinition;
  /** What the process inherits and the definition does not take away, with its values. */
  inherited: Readonly<Record<string, string>>;
  /** Names in the env file, where it could be read; none of its values leaves it. */
  fileNames: readonly string[];
}

/**
 * The environment of a process before it is started, for people: what the definition sets as it is written, so that what
 * a variable yields is never shown; names alone from an env file; what is passed on, with values that cannot be secrets.
 * Sorted by where it comes from, then by name.
 */
export function environmentLines({ definition, inherited, fileNames }: EnvironmentSources): EnvironmentLine[] {
  const { env } = definition;
  const written = new Set(Object.keys(env));
  const ofFile = new Set(fileNames.filter((name) => !written.has(name)));
  const line = (name: string, from: EnvironmentLine['from'], value?: string): EnvironmentLine => ({
    name: visibleLine(name, 200),
    from,
    ...(value === undefined ? {} : { value: visibleLine(value, maxValueLength) }),
  });
  const byName = (one: string, other: string) => one.localeCompare(other);
  return [
    ...Object.entries(env)
      .sort(([one], [other]) => byName(one, other))
      .map(([name, value]) =>
        value === null ? line(name, 'removed') : line(name, 'definition', shownValue(name, value)),
      ),
    ...[...ofFile].sort(byName).map((name) => line(name, 'file', dots)),
    ...Object.entries(inherited)
      .filter(([name]) => !written.has(name) && !ofFile.has(name))
      .sort(([one], [other]) => byName(one, other))
      .map(([name, value]) => line(name, 'passedOn', shownValue(name, value))),
  ];
}

/** Nothing but a variable tells nothing of its value; anything else under the name of a secret is one. */
export function shownValue(name: string, text: string): string {
  if (isVariableAlone(text) && !text.includes(':-')) return text;
  return isSecretSetting(name) || looksSecret(name, text) || hasPassword(text) ? dots : text;
}

function isVariableAlone(text: string): boolean {
  return /^\$\{[^{}]+\}$/.test(text);
}

/** `postgres://user:password@host/` and the like. */
function hasPassword(text: string): boolean {
  return /:\/\/[^/\s@]*:[^/\s@]*@/.test(text);
}

/** True while a text has only variables that name folders: what they yield is no secret. */
export function namesFoldersOnly(text: string): boolean {
  const definition: StdioDefinition = { type: 'stdio', command: text, args: [], env: {} };
  return collectVariables(definition).every((variable) =>
    /^(?:workspaceFolder(?:Basename)?(?::|$)|userHome$|pathSeparator$|\/$)/.test(variable),
  );
}
