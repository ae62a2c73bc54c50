import { t } from '@vscode/l10n';
import { exactText } from '../base/exactText.js';
import { hasLookAlikes } from '../base/visibleName.js';
import { visibleText } from '../base/hostileText.js';
import { commandWarnings } from './commandWarnings.js';
import { debugpyPathOf } from './dev.js';
import { loaderWarning, variablesOfShell } from './loaderVariables.js';
import type {
  ConfigSource,
  InputDefinition,
  RemoteDefinition,
  ServerDefinition,
  StdioDefinition,
} from './serverDefinition.js';
import {
  addressWarnings,
  hiddenWarning,
  hostWarnings,
  inputWarnings,
  lookAlikeWarning,
  oauthWarnings,
  outsideWarnings,
  variableWarnings,
} from './startWarnings.js';
import type { UsedVariable } from './usedVariables.js';
import { usedVariables } from './usedVariables.js';
import type { TemplatePart } from './variableSyntax.js';
import { inputsNamedBy, partsOf } from './variableSyntax.js';
import { boundedFill } from './variableValues.js';
import { hashedSecretValue, writtenValue } from './writtenValue.js';

/**
 * Everything that a start would run and send, for the approval question. Each text is exact (`exactText`): one line,
 * never cut, with hidden characters made visible, and different for different values. A literal secret is replaced by a
 * digest.
 */
export interface StartDescription {
  /** The command of a local server; absent for remote servers. */
  command?: string;
  /** One text per argument, formatted so that the boundaries between arguments are unambiguous. */
  args?: string[];
  cwd?: string;
  envFile?: string;
  /** The variables in `envFile` as `NAME=value`, like `env`; absent if the file could not be read. */
  envFileLines?: string[];
  /** Present if messages do not use the newline framing of MCP. */
  framing?: 'content-length';
  /**
   * The program that a start under the Python debugger runs instead of the debugpy of the Python Debugger extension.
   */
  debugpyPath?: string;
  /** `NAME=value` as written. A name without a value is removed from the environment. */
  env: string[];
  /** The URL of a remote server; absent for local servers. */
  url?: string;
  /** The transport that is used for `url`. */
  transport?: RemoteDefinition['type'];
  /** `Name: value` as written. */
  headers: string[];
  /** File with the certificate authorities that replace the default ones. */
  caFile?: string;
  /**
   * Fields of the sign-in as written, in the form `name: value`. `never` if the sign-in is disabled. Absent if the
   * default sign-in is used.
   */
  oauth?: string[] | 'never';
  /** The variables of the definition, with the origin of their values. */
  variables: UsedVariable[];
  /** The recording of a mock. */
  recording?: string;
  /**
   * The file or setting of the definition, such as `.vscode/mcp.json`, with the folder's name if several folders are
   * open.
   */
  source: string;
  /** Warnings, one sentence each. */
  warnings: string[];
  /** The paths of all changed files of bundles, if the warnings do not name all of them. */
  changedFiles?: string[];
  /** What runs instead of the definition under a debugger. Absent if the server starts without a debugger. */
  debugged?: DebuggedDescription;
}

/** A start under a debugger. `env` has the lines that differ from those of the definition. */
export type DebuggedDescription = Required<Pick<StartDescription, 'command' | 'args' | 'env'>>;

/** The start to describe: an entry of the registry, or part of one. */
export interface StartSubject {
  /** The name of the server, checked for look-alike characters. Default: no check. */
  name?: string;
  definition: ServerDefinition;
  source: ConfigSource;
  /** The inputs that the variables of the definition use. Default none. */
  inputs?: readonly InputDefinition[];
  /** Values that the workspace gives to variables. The key is the text between the braces. Default none. */
  values?: ReadonlyMap<string, string>;
  /** Digests of secrets that the user entered. The key is the text between the braces. Default none. */
  digests?: ReadonlyMap<string, string>;
  /** The definition as written, if `definition` already contains some of `values`. Default: `definition`. */
  written?: ServerDefinition;
  /** The variables in `envFile`, if it could be read. */
  envFileValues?: Readonly<Record<string, string>>;
  /** Additional warnings, for example about files in the working directory. Default none. */
  warnings?: readonly string[];
  /** What runs instead of `definition` if the server starts under a debugger. Default: no debugger. */
  debugged?: StdioDefinition;
}

/** Describes everything that a start of this definition would run and send. */
export function describeStart(subject: StartSubject): StartDescription {
  const {
    name,
    definition,
    source,
    inputs = [],
    values = new Map<string, string>(),
    digests = new Map<string, string>(),
    written = definition,
    warnings: more = [],
  } = subject;
  const place = source.folderName === undefined ? source.label : `${source.folderName}: ${source.label}`;
  const variablesOf = (part: ServerDefinition) =>
    usedVariables(part, { inputs, values, digests, isPortable: source.kind === 'portable' });
  const common = {
    source: visibleText(place, Number.MAX_SAFE_INTEGER),
    env: [],
    headers: [],
    variables: variablesOf(written),
  };
  if (definition.type === 'builtin') {
    const { mock } = definition;
    return { ...common, ...(mock ? { recording: exactText(mock.file) } : {}), warnings: [] };
  }
  const named = inputsNamedBy(written, new Map(inputs.map((input) => [input.id, input])));
  const provided = [...values.values(), ...named.flatMap(textsOfInput)];
  const general = [
    ...(name !== undefined && hasLookAlikes(name)
      ? [t('Its name contains characters that can look like other characters, written as \\u{…} here.')]
      : []),
    ...lookAlikeWarning(textsOfVariables(common.variables)),
    ...hostWarnings(provided),
    ...inputWarnings(named),
    ...more,
  ];
  if (definition.type !== 'stdio') {
    const parts = remoteParts(definition);
    return {
      ...common,
      ...parts,
      warnings: [
        ...hiddenWarning([definition.url, ...Object.values(definition.headers), ...provided]),
        ...lookAlikeWarning(shownTexts(parts)),
        ...addressWarnings(definition),
        ...hostWarnings(Object.values(definition.headers)),
        ...oauthWarnings(definition),
        ...(written.type === 'stdio' || written.type === 'builtin'
          ? []
          : variableWarnings(definition, written, variablesOf)),
        ...general,
      ],
    };
  }
  const parts = localParts(definition, subject.envFileValues);
  const debugged = subject.debugged && debuggedParts(subject.debugged, parts);
  const started = subject.debugged ? [definition, subject.debugged] : [definition];
  const warnings = [
    ...(definition.isSandboxRequested
      ? [t('The definition asks for a sandbox, but MCP Deck runs the server without one.')]
      : []),
    ...lookAlikeWarning([...shownTexts(parts), ...shownTexts(debugged ?? {})]),
    ...started.flatMap((start) => localWarnings(subject, start, provided)),
    ...general,
  ];
  return { ...common, ...parts, ...(debugged ? { debugged } : {}), warnings: [...new Set(warnings)] };
}

/** All texts of these fields as the approval question shows them: literal secrets are replaced by digests. */
function shownTexts({ command, args = [], url, cwd, envFile, ...parts }: Partial<StartDescription>): string[] {
  const { envFileLines = [], debugpyPath, env = [], headers = [], caFile, oauth = [] } = parts;
  const single = [command, url, cwd, envFile, debugpyPath, caFile].filter((text) => text !== undefined);
  return [...single, ...args, ...envFileLines, ...env, ...headers, ...(oauth === 'never' ? [] : oauth)];
}

function localParts(
  definition: StdioDefinition,
  envFileValues: Readonly<Record<string, string>> | undefined,
): Partial<StartDescription> & Required<Pick<StartDescription, 'command' | 'args' | 'env'>> {
  const { command, args, cwd, envFile, env, framing } = definition;
  const debugpyPath = debugpyPathOf(definition);
  const used = variablesOfShell([command, ...args]);
  return {
    command: exactText(command),
    args: args.map((arg) => exactText(arg)),
    ...(cwd === undefined ? {} : { cwd: exactText(cwd) }),
    ...(envFile === undefined ? {} : { envFile: exactText(envFile) }),
    ...(envFileValues === undefined
      ? {}
      : { envFileLines: Object.entries(envFileValues).map(([name, value]) => envText(name, value, used)) }),
    ...(framing === 'content-length' ? { framing } : {}),
    ...(debugpyPath === undefined ? {} : { debugpyPath: exactText(debugpyPath) }),
    env: Object.entries(env).map(([name, value]) =>
      value === null ? exactText(name, /=/) : envText(name, value, used),
    ),
  };
}

/** @param used the variables that the command line uses, in lower case. */
function envText(name: string, value: string, used: ReadonlySet<string>): string {
  return used.has(name.toLowerCase()) ? `${exactText(name, /=/)}=${exactText(value)}` : writtenValue(name, '=', value);
}

/** @param written the description of the definition without the debugger. */
function debuggedParts(debugged: StdioDefinition, written: Pick<StartDescription, 'env'>): DebuggedDescription {
  const { command, args, env } = localParts(debugged, undefined);
  const known = new Set(written.env);
  return { command, args, env: env.filter((line) => !known.has(line)) };
}

/** The texts that describe where the values of variables come from. */
function textsOfVariables(variables: readonly UsedVariable[]): string[] {
  return variables.flatMap((used) => {
    const fields = Object.entries(used) as [string, string | string[] | boolean][];
    return fields.flatMap(([field, text]) =>
      field === 'kind' || field === 'variable' || typeof text === 'boolean' ? [] : text,
    );
  });
}

function textsOfInput({ default: initial = '', options = [] }: InputDefinition): string[] {
  return [initial, ...options.flatMap(({ label, value }) => [label, value])];
}

/** @param provided the texts that the values of variables can have. */
function localWarnings(
  { source, values = new Map(), envFileValues = {} }: StartSubject,
  definition: StdioDefinition,
  provided: readonly string[],
): string[] {
  const { command, args, cwd, envFile, env } = definition;
  const names = Object.keys(env);
  const envValues = Object.values(env).map((value) => value ?? '');
  const fileValues = Object.entries(envFileValues).flat();
  const filled = boundedFill(values);
  const words = [command, ...args].map(filled);
  return [
    ...hiddenWarning([command, ...args, cwd ?? '', envFile ?? '', ...names, ...envValues, ...fileValues, ...provided]),
    ...commandWarnings(words),
    ...unfilledWarning([...words, cwd ?? '', envFile ?? ''], values),
    ...hostWarnings([...args, ...envValues, ...fileValues]),
    ...loaderWarning(names),
    ...(envFile === undefined ? [] : loaderWarning(Object.keys(envFileValues), exactText(envFile))),
    ...outsideWarnings(definition, source),
  ];
}

/** Warns if texts contain variables whose values are known, but too long to be filled in. */
function unfilledWarning(texts: readonly string[], values: ReadonlyMap<string, string>): string[] {
  const isUnfilled = ({ isVariable, text }: TemplatePart) => isVariable && values.get(text)?.includes('${') === false;
  return texts.some((text) => [...partsOf(text)].some(isUnfilled))
    ? [t('The values of its variables are too long to be checked for programs and paths. Read them completely.')]
    : [];
}

function remoteParts({
  type,
  url,
  headers,
  caFile,
  oauth,
}: RemoteDefinition): Partial<StartDescription> & Pick<StartDescription, 'headers'> {
  return {
    url: exactText(url),
    transport: type,
    headers: Object.entries(headers).map(([name, value]) => writtenValue(name, ': ', value)),
    ...(caFile === undefined ? {} : { caFile: exactText(caFile) }),
    ...(oauth === undefined ? {} : { oauth: oauth === false ? 'never' : oauthLines(oauth) }),
  };
}

/**
 * The fields of the sign-in, one line for each value and for each item of a list. An empty list is shown as its name
 * only.
 */
function oauthLines(fields: object, prefix = ''): string[] {
  return (Object.entries(fields) as [string, unknown][]).flatMap(([name, value]) => {
    const field = `${prefix}${name}`;
    if (value === undefined) return [];
    if (Array.isArray(value))
      return value.length === 0 ? [field] : (value as string[]).map((item) => `${field}: ${exactText(item)}`);
    if (typeof value === 'object' && value !== null) return oauthLines(value, `${field}.`);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    // Other names that sound secret, such as `tokenFile`, contain paths or addresses.
    return [`${field}: ${name === 'clientSecret' ? hashedSecretValue(name, text) : exactText(text)}`];
  });
}
