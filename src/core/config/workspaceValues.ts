import { createHash, randomUUID } from 'node:crypto';
import { HostError } from '../base/hostError.js';
import type { ConfigSource, ServerDefinition } from './serverDefinition.js';
import { mapOAuthTexts } from './oauthDefinition.js';
import type { StartFacts } from './definitionHash.js';
import type { VariableContext } from './variables.js';
import { caFilePath, collectVariables, envFilePath, partsOf, valueOfVariable } from './variables.js';

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
export async function workspaceValues(definition: ServerDefinition, context: StartContext, isSetByWorkspace: (key: string) => boolean): Promise<ReadonlyMap<string, string>> {
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
  return [...values.keys()].filter((variable) => variable.startsWith('config:')).map((variable) => variable.slice('config:'.length));
}

/** The definition with those values in the places that a question shows; everything else stays as written. */
export async function withValues(definition: ServerDefinition, values: ReadonlyMap<string, string>): Promise<ServerDefinition> {
  if (definition.type === 'builtin' || values.size === 0) return definition;
  const fill = (text: string) => [...partsOf(text)].map((part) => (part.isVariable ? (values.get(part.text) ?? `\${${part.text}}`) : part.text)).join('');
  if (definition.type !== 'stdio') {
    const { url, caFile, oauth } = definition;
    const filled = oauth && (await mapOAuthTexts(oauth, (text) => Promise.resolve(fill(text))));
    return { ...definition, url: fill(url), ...(caFile === undefined ? {} : { caFile: fill(caFile) }), ...(filled === undefined ? {} : { oauth: filled }) };
  }
  const { command, args, cwd, envFile } = definition;
  return { ...definition, command: fill(command), args: args.map(fill), ...(cwd === undefined ? {} : { cwd: fill(cwd) }), ...(envFile === undefined ? {} : { envFile: fill(envFile) }) };
}

/** What an approval covers beside the text of the definition. Reads the files that it names; asks nobody. */
export async function startFacts(definition: ServerDefinition, source: ConfigSource, context: StartContext, values: ReadonlyMap<string, string>): Promise<StartFacts> {
  const named = values.size === 0 ? {} : { values: Object.fromEntries(values) };
  if (definition.type === 'builtin') return named;
  const silent: VariableContext = { ...context, getInput: () => Promise.reject(new Error('Nobody is asked here.')) };
  if (definition.type === 'stdio') return { ...named, ...(definition.envFile === undefined ? {} : { envFileHash: await contentHash(() => envFilePath(definition, silent), source, context) }) };
  return { ...named, ...(definition.caFile === undefined ? {} : { caFileHash: await contentHash(() => caFilePath(definition, silent), source, context) }) };
}

/** What cannot be known without a question, or lies on another machine, is no content that anybody could have approved. */
async function contentHash(findPath: () => Promise<string | undefined>, source: ConfigSource, context: StartContext): Promise<string> {
  let file: string | undefined;
  try {
    file = await findPath();
  } catch {
    return randomUUID();
  }
  if (file === undefined) return 'none';
  const isElsewhere = /^(?:\\\\|\/\/)/.test(file) && !file.startsWith(source.folderPath ?? context.userHome);
  if (isElsewhere) return randomUUID();
  try {
    return createHash('sha256').update(await context.readFile(file)).digest('hex');
  } catch (error) {
    // A file that does not answer is no file that is missing.
    if (error instanceof HostError) throw error;
    // Without a file there is nothing to approve of it; the start itself says that it is missing.
    return 'absent';
  }
}
