import type { ServerDefinition } from './serverDefinition.js';
import { mapOAuthTexts } from './oauthDefinition.js';
import type { VariableContext } from './variables.js';
import { collectVariables, partsOf, valueOfVariable } from './variables.js';

/** The surroundings of a start without a person: nobody is asked for an input. */
export type StartContext = Omit<VariableContext, 'getInput'>;

/**
 * The same surroundings, read once each: what was approved is what a start uses, also where a file or a setting changes
 * while the question is open.
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
    readFile: (file) => {
      const text = files.get(file) ?? context.readFile(file);
      files.set(file, text);
      return text;
    },
  };
}

/**
 * The variables of a definition that the workspace gives a value, beside the file that names them: settings that it sets,
 * and folders by their name. By what stands between the braces; without those that have no value.
 * @param isSetByWorkspace whether a setting has its value from the workspace and not from the user.
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

/** The settings among them: with one, also a server of the user's own does what the workspace says. */
export function settingsOf(values: ReadonlyMap<string, string>): string[] {
  return [...values.keys()]
    .filter((variable) => variable.startsWith('config:'))
    .map((variable) => variable.slice('config:'.length));
}

/** The definition with those values in the places that a question shows; everything else stays as written. */
export async function withValues(
  definition: ServerDefinition,
  values: ReadonlyMap<string, string>,
): Promise<ServerDefinition> {
  if (definition.type === 'builtin' || values.size === 0) return definition;
  // A value that looks like a variable is none: it is shown beside the text instead of within it.
  const valueOf = (variable: string) =>
    [values.get(variable)].find((value) => value?.includes('${') === false) ?? `\${${variable}}`;
  const fill = (text: string) =>
    [...partsOf(text)].map((part) => (part.isVariable ? valueOf(part.text) : part.text)).join('');
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
