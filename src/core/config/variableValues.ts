import type { ServerDefinition } from './serverDefinition.js';
import { mapOAuthTexts } from './oauthDefinition.js';
import type { StartContext } from './variables.js';
import { valueOfVariable } from './variables.js';
import { collectVariables, mapVariables } from './variableSyntax.js';

/**
 * Caches the values of a context, so that a start uses exactly the values that were approved, even if a file or setting
 * changes while the question is open.
 */
export function readOnce(context: StartContext): StartContext {
  const settings = new Map<string, unknown>();
  const files = new Map<string, Promise<string>>();
  return {
    ...context,
    getSetting: (key) => {
      if (!settings.has(key)) settings.set(key, context.getSetting(key));
      return settings.get(key);
    },
    readAnew: context.readFile,
    readFile: (file) => {
      const text = files.get(file) ?? context.readFile(file);
      files.set(file, text);
      return text;
    },
  };
}

/**
 * The values that the workspace gives to variables of a definition: settings that the workspace sets, and folders that
 * are referred to by name. The key is the text between the braces. Variables without a value are omitted.
 * @param isSetByWorkspace whether the value of a setting comes from the workspace.
 */
export async function workspaceValues(
  definition: ServerDefinition,
  context: StartContext,
  isSetByWorkspace: (key: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const variable of collectVariables(definition)) {
    const [, kind, argument = ''] = /^(config|workspaceFolder|workspaceFolderBasename):(.*)$/s.exec(variable) ?? [];
    if (kind === undefined || (kind === 'config' && !isSetByWorkspace(argument))) continue;
    const value = await valueOfVariable(variable, context);
    if (value !== undefined) values.set(variable, value);
  }
  return values;
}

/**
 * The settings among these values. Through any of them, the workspace controls even a server from the user settings.
 */
export function settingsOf(values: ReadonlyMap<string, string>): string[] {
  return [...values.keys()]
    .filter((variable) => variable.startsWith('config:'))
    .map((variable) => variable.slice('config:'.length));
}

/** Maximum length of all values that are filled in for a question, in UTF-16 code units. */
const maxFilledForQuestion = 128 * 1024;

/**
 * Fills in accepted values. A variable whose value would exceed the total length stays as written.
 * @param accepts whether a value is filled in. Default: every value.
 */
export function boundedFill(
  values: ReadonlyMap<string, string>,
  accepts: (value: string) => boolean = () => true,
): (text: string) => string {
  let left = maxFilledForQuestion;
  return (text) =>
    mapVariables(text, (variable) => {
      const value = values.get(variable);
      if (value === undefined || value.length > left || !accepts(value)) return `\${${variable}}`;
      left -= value.length;
      return value;
    });
}

/**
 * The definition with these values filled in, except in `env`, `headers` and `dev`, which the approval question shows
 * as written.
 */
export async function withValues(
  definition: ServerDefinition,
  values: ReadonlyMap<string, string>,
): Promise<ServerDefinition> {
  if (definition.type === 'builtin' || values.size === 0) return definition;
  // A value that looks like a variable is not filled in; the question shows it separately.
  const fill = boundedFill(values, (value) => !value.includes('${'));
  if (definition.type !== 'stdio') {
    const { url, caFile, oauth } = definition;
    const filled = oauth && (await mapOAuthTexts(oauth, (text) => Promise.resolve(fill(text))));
    return {
      ...definition,
      url: fill(url),
      ...(caFile === undefined ? {} : { caFile: fill(caFile) }),
      ...(filled === undefined ? {} : { oauth: filled }),
    };
  }
  const { command, args, cwd, envFile } = definition;
  return {
    ...definition,
    command: fill(command),
    args: args.map(fill),
    ...(cwd === undefined ? {} : { cwd: fill(cwd) }),
    ...(envFile === undefined ? {} : { envFile: fill(envFile) }),
  };
}
