import { visibleLine } from '../base/hostileText.js';
import type { StdioDefinition } from '../config/serverDefinition.js';
import { collectVariables } from '../config/variableSyntax.js';
import { isSecretSetting, looksSecret } from '../../shared/secretNames.js';
import type { EnvironmentLine } from '../../shared/serverPage.js';

/** Maximum length of a value, in characters; a longer value is cut. A long PATH still fits. */
const maxValueLength = 2_000;
/** Shown in place of a secret. */
export const dots = '•••';

export interface EnvironmentSources {
  definition: StdioDefinition;
  /** The variables that the process inherits and the definition does not remove, with their values. */
  inherited: Readonly<Record<string, string>>;
  /** Names of the variables in the env file, if it could be read. The values in the file are not used. */
  fileNames: readonly string[];
}

/**
 * The environment variables of a process before it is started, for display, sorted by origin, then by name. Variables
 * of the definition are shown as written, so that the values of `${…}` in them are not shown. Of an env file, only the
 * names are shown. Any other value is shown unless its name or content indicates a secret.
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
        value === null ? line(name, 'removed') : line(name, 'definition', maskedValue(name, value)),
      ),
    ...[...ofFile].sort(byName).map((name) => line(name, 'file', dots)),
    ...Object.entries(inherited)
      .filter(([name]) => !written.has(name) && !ofFile.has(name))
      .sort(([one], [other]) => byName(one, other))
      .map(([name, value]) => line(name, 'passedOn', maskedValue(name, value))),
  ];
}

/**
 * The value for display. A value that consists of one variable without a default is shown as written, because it
 * reveals no secret. Any other value is masked if its name or content indicates a secret.
 */
export function maskedValue(name: string, text: string): string {
  if (isVariableAlone(text) && !text.includes(':-')) return text;
  return isSecretSetting(name) || looksSecret(name, text) || hasPassword(text) ? dots : text;
}

function isVariableAlone(text: string): boolean {
  return /^\$\{[^{}]+\}$/.test(text);
}

/** Whether a text contains a URL with a password, such as `postgres://user:password@host/`. */
function hasPassword(text: string): boolean {
  return /:\/\/[^/\s@]*:[^/\s@]*@/.test(text);
}

/** True when all variables in a text name folders, whose values are not secret. */
export function namesFoldersOnly(text: string): boolean {
  const definition: StdioDefinition = { type: 'stdio', command: text, args: [], env: {} };
  return collectVariables(definition).every((variable) =>
    /^(?:workspaceFolder(?:Basename)?(?::|$)|userHome$|pathSeparator$|\/$)/.test(variable),
  );
}
