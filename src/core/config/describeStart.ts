import { exactText } from '../base/exactText.js';
import { hasLookAlikes } from '../base/visibleName.js';
import { visibleText } from '../base/hostileText.js';
import { commandWarnings } from './commandWarnings.js';
import { debugpyPathOf } from './dev.js';
import { loaderWarning } from './loaderVariables.js';
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
  inputWarnings,
  lookAlikeWarning,
  oauthWarnings,
  outsideWarnings,
  variableWarnings,
} from './startWarnings.js';
import type { UsedVariable } from './usedVariables.js';
import { usedVariables } from './usedVariables.js';
import { inputsNamedBy } from './variables.js';
import { shownValue, writtenValue } from './writtenValue.js';

/**
 * Everything that a start would run and send, for the question before it. Each text is exact (`exactText`): on one line,
 * never cut, hidden characters visible, and two different texts differ. A literal secret is a digest of its value.
 */
export interface StartDescription {
  /** Local servers. */
  command?: string;
  /** One text per argument: none can pass for two, or two for one. */
  args?: string[];
  cwd?: string;
  envFile?: string;
  /** Names of the variables in that file; absent where it could not be read. */
  envFileNames?: string[];
  /** Present where messages are not framed as MCP has it. */
  framing?: 'content-length';
  /** What a start under the Python debugger runs instead of debugpy of the Python Debugger extension. */
  debugpyPath?: string;
  /** `NAME=value` as written; a name alone is a variable that is taken out of the environment. */
  env: string[];
  /** Remote servers. */
  url?: string;
  /** How messages travel to `url`. */
  transport?: RemoteDefinition['type'];
  /** `Name: value` as written. */
  headers: string[];
  /** File with the certificate authorities that replace the usual ones. */
  caFile?: string;
  /** Fields of the sign-in, `name: value` as written. Absent: the usual sign-in. `never`: it never signs in. */
  oauth?: string[] | 'never';
  /** Where the values of its variables come from. */
  variables: UsedVariable[];
  /** `.vscode/mcp.json`, with the folder's name where there are several. */
  source: string;
  /** Sentences about what deserves a second look. */
  warnings: string[];
}

/** What is described: an entry of the registry, or less. */
export interface StartSubject {
  /** Its name, for a warning about letters that look like others. Default: not looked at. */
  name?: string;
  definition: ServerDefinition;
  source: ConfigSource;
  /** The inputs that its variables name. Default none. */
  inputs?: readonly InputDefinition[];
  /** What the workspace gives as values of variables, by what stands between the braces. Default none. */
  values?: ReadonlyMap<string, string>;
  /** The definition as written, where `definition` has some of these values in their places. Default `definition`. */
  written?: ServerDefinition;
  /** Names of the variables in `envFile`, where it could be read. */
  envFileNames?: readonly string[];
  /** Further warnings, as about what lies in the folder that it runs in. Default none. */
  warnings?: readonly string[];
}

/** Describes what starting this definition does. */
export function describeStart(subject: StartSubject): StartDescription {
  const {
    name,
    definition,
    source,
    inputs = [],
    values = new Map<string, string>(),
    written = definition,
    warnings: more = [],
  } = subject;
  const place = source.folderName === undefined ? source.label : `${source.folderName}: ${source.label}`;
  const common = {
    source: visibleText(place, Number.MAX_SAFE_INTEGER),
    env: [],
    headers: [],
    variables: usedVariables(written, { inputs, values, isPortable: source.kind === 'portable' }),
  };
  if (definition.type === 'builtin') return { ...common, warnings: [] };
  const named = inputsNamedBy(written, new Map(inputs.map((input) => [input.id, input])));
  const general = [
    ...(name !== undefined && hasLookAlikes(name)
      ? ['Its name has letters that can look like others, written as \\u{…} here.']
      : []),
    ...inputWarnings(named),
    ...more,
  ];
  if (definition.type !== 'stdio')
    return {
      ...common,
      ...remoteParts(definition),
      warnings: [
        ...hiddenWarning([definition.url, ...Object.values(definition.headers)]),
        ...addressWarnings(definition),
        ...oauthWarnings(definition),
        ...variableWarnings(definition, common.variables),
        ...general,
      ],
    };
  return {
    ...common,
    ...localParts(definition, subject.envFileNames),
    warnings: [...localWarnings(definition, source, subject.envFileNames), ...general],
  };
}

function localParts(
  definition: StdioDefinition,
  envFileNames: readonly string[] | undefined,
): Partial<StartDescription> & Pick<StartDescription, 'env'> {
  const { command, args, cwd, envFile, env, framing } = definition;
  const debugpyPath = debugpyPathOf(definition);
  return {
    command: exactText(command),
    args: args.map((arg) => exactText(arg)),
    ...(cwd === undefined ? {} : { cwd: exactText(cwd) }),
    ...(envFile === undefined ? {} : { envFile: exactText(envFile) }),
    ...(envFileNames === undefined ? {} : { envFileNames: envFileNames.map((name) => exactText(name)) }),
    ...(framing === 'content-length' ? { framing } : {}),
    ...(debugpyPath === undefined ? {} : { debugpyPath: exactText(debugpyPath) }),
    env: Object.entries(env).map(([name, value]) =>
      value === null ? exactText(name, /=/) : writtenValue(name, '=', value),
    ),
  };
}

function localWarnings(
  definition: StdioDefinition,
  source: ConfigSource,
  envFileNames: readonly string[] = [],
): string[] {
  const { command, args, cwd, envFile, env } = definition;
  const names = Object.keys(env);
  return [
    ...hiddenWarning([
      command,
      ...args,
      cwd ?? '',
      envFile ?? '',
      ...names,
      ...Object.values(env).map((value) => value ?? ''),
    ]),
    ...lookAlikeWarning([command, ...args]),
    ...commandWarnings([command, ...args]),
    ...loaderWarning(names),
    ...(envFile === undefined ? [] : loaderWarning(envFileNames, `The file ${exactText(envFile)}`)),
    ...outsideWarnings(definition, source),
  ];
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

/** One line for each value; of a list one for each item, and its name alone where it is empty. */
function oauthLines(fields: object, prefix = ''): string[] {
  return (Object.entries(fields) as [string, unknown][]).flatMap(([name, value]) => {
    const field = `${prefix}${name}`;
    if (value === undefined) return [];
    if (Array.isArray(value))
      return value.length === 0 ? [field] : (value as string[]).map((item) => `${field}: ${exactText(item)}`);
    if (typeof value === 'object' && value !== null) return oauthLines(value, `${field}.`);
    return [`${field}: ${shownValue(name, typeof value === 'string' ? value : JSON.stringify(value))}`];
  });
}
