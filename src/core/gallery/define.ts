/**
 * Converts a package or remote of a `server.json` into what is started or connected to. Source:
 * https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
 *
 * The result is as untrusted as the entry: it is shown in full before anything is written or started.
 */
import { isObject } from '../base/guards.js';
import { nestedTexts } from '../base/nestedTexts.js';
import type { ArgumentWords } from './argumentWords.js';
import { argumentsOf } from './argumentWords.js';
import { DefinitionLength } from './filledText.js';
import { filledIn, headerValue, isName, valuesOf, variableValues } from './inputValues.js';
import { commandOf, isBundle } from './packageCommand.js';
import type { Answers, JsonFields, GalleryInput } from './serverJson.js';
import { field, listField, textField, Unsupported, variablesOf } from './serverJson.js';

export { defineBundle } from './bundleManifest.js';

/** Where to connect. */
export interface GalleryRemote {
  url: string;
  headers: Record<string, string>;
  transport: 'streamable-http' | 'sse';
}

/**
 * The definition that results from a package or remote. A package that is started and then reached at a URL also
 * has the fields of a remote.
 */
export type GalleryDefinition =
  | { unsupported: true }
  | GalleryRemote
  | ({ command: string; args: string[]; env: Record<string, string> } & Partial<GalleryRemote>)
  /** A bundle (MCPB). Without the SHA-256 of the file, it must not be installed. */
  | ({ file: string; sha256?: string; env: Record<string, string> } & Partial<GalleryRemote>);

/**
 * The definition that follows from a package or remote. Never throws, whatever `server` contains.
 * @param server the content of a `server.json`.
 * @param id the list and the index in it, such as `packages/0` or `remotes/1`.
 * @param answers gives the text for an input. Keys: `env/NAME`, `headers/NAME`, `packageArguments/0`,
 *   `runtimeArguments/0`, `url/variables/name`, and `<key>/variables/name` for a variable in another input.
 */
export function define(server: unknown, id: string, answers: Answers): GalleryDefinition {
  const [, list = '', index = ''] = /^(packages|remotes)\/(\d{1,3})$/.exec(id) ?? [];
  const items = isObject(server) ? field(server, list) : undefined;
  const fields: unknown = Array.isArray(items) ? items[Number(index)] : undefined;
  if (!isObject(fields)) return { unsupported: true };
  const known = new Map<string, ReturnType<Answers>>();
  // Each question is asked once.
  const once: Answers = (key, input) => {
    if (!known.has(key)) known.set(key, answers(key, input));
    return known.get(key);
  };
  const defined = (given: Answers) => {
    const definition = list === 'remotes' ? remoteOf(fields, new Map(), given) : packageOf(fields, given);
    const length = new DefinitionLength();
    for (const { text } of nestedTexts(definition)) length.counted([text]);
    return definition;
  };
  try {
    // Several texts of the entry can form a variable of MCP Deck when they are joined, although none contains one. Such
    // an entry is not supported.
    if (hasVariable(defined(withoutAnswers(once)))) return { unsupported: true };
    return defined(once);
  } catch (error) {
    if (error instanceof Unsupported) return { unsupported: true };
    throw error;
  }
}

/** The same answers with a neutral text for what the user entered: only the texts of the entry remain. */
function withoutAnswers(answers: Answers): Answers {
  const neutral = (text: string, input: GalleryInput) =>
    ['', 'true', 'false', input.default, ...(input.choices ?? [])].includes(text) ? text : 'x';
  return (key, input) => {
    const answer = answers(key, input);
    if (answer === undefined || typeof answer === 'string') return answer && neutral(answer, input);
    return answer.map((text) => neutral(text, input));
  };
}

/** Whether MCP Deck would replace a part of this definition in a file by a value of the user's machine (`${env:…}`). */
function hasVariable(value: unknown): boolean {
  if (typeof value === 'string') return /\$\{\w+:/.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((item) => hasVariable(item));
}

function packageOf(fields: JsonFields, answers: Answers): GalleryDefinition {
  const env = environmentOf(fields, answers);
  const transport = field(fields, 'transport') ?? {};
  if (!isObject(transport)) throw new Unsupported();
  const isLocal = (textField(transport, 'type') ?? 'stdio') === 'stdio';
  if (isBundle(fields)) {
    const sha256 = textField(fields, 'fileSha256')?.toLowerCase();
    return {
      file: plain(textField(fields, 'identifier') ?? ''),
      ...(sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) ? { sha256 } : {}),
      env,
      ...(isLocal ? {} : remoteOf(transport, namedValues([], env), answers)),
    };
  }
  const runtime = argumentsOf(fields, 'runtimeArguments', answers);
  const own = argumentsOf(fields, 'packageArguments', answers);
  const wordsOf = (list: readonly ArgumentWords[]) => list.flatMap(({ words }) => words);
  return {
    ...commandOf(fields, wordsOf(runtime), wordsOf(own), Object.keys(env)),
    env,
    ...(isLocal ? {} : remoteOf(transport, namedValues([...own, ...runtime], env), answers)),
  };
}

function environmentOf(fields: JsonFields, answers: Answers): Record<string, string> {
  const entries = listField(fields, 'environmentVariables').flatMap(([, variable]): [string, string][] => {
    const name = textField(variable, 'name') ?? '';
    if (name === '' || /[=\p{Cc}]/u.test(name)) throw new Unsupported();
    const [value] = valuesOf(variable, `env/${name}`, answers);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** The values that the URL of a package refers to by name: those of arguments, then environment variables. */
function namedValues(list: readonly ArgumentWords[], env: Record<string, string>): Map<string, string> {
  const values = new Map(Object.entries(env));
  for (const { names, value } of [...list].reverse())
    for (const name of [...names].reverse()) if (value !== undefined) values.set(name, value);
  return values;
}

/** @param named values that the URL may refer to; empty for a remote. */
function remoteOf(fields: JsonFields, named: ReadonlyMap<string, string>, answers: Answers): GalleryRemote {
  // The field is "transport_type" in schema 2025-07-09.
  const transport = textField(fields, 'type') ?? textField(fields, 'transportType');
  if (transport !== 'streamable-http' && transport !== 'sse') throw new Unsupported();
  const variables = variablesOf(fields);
  const template = plain(textField(fields, 'url') ?? '');
  const url = filledIn(template, (name) => {
    const variable = variables.get(name);
    if (variable === undefined && named.has(name)) return named.get(name);
    if (variable === undefined && !isName(name)) return undefined;
    // A URL with a name in braces cannot be reached, so the user is asked for a variable that is not declared.
    const whole = { isRequired: true, isRepeated: false };
    return variableValues(variable ?? {}, `url/variables/${name}`, answers, whole)[0];
  });
  if (changesHost(template, url)) throw new Unsupported();
  // A variable may contain the scheme.
  if (url !== '' && !/^(?:https?:\/\/|\{)/i.test(url)) throw new Unsupported();
  const headers = listField(fields, 'headers').flatMap(([, header]): [string, string][] => {
    const name = textField(header, 'name') ?? '';
    if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name)) throw new Unsupported();
    const value = headerValue(header, `headers/${name}`, variables, answers);
    return value === undefined ? [] : [[name, value]];
  });
  return { url, headers: Object.fromEntries(headers), transport };
}

/** Whether the values of variables lead to another host than the one that the template names. */
function changesHost(template: string, url: string): boolean {
  const [, host = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(template) ?? [];
  if (!host.includes('{') || template === url) return false;
  // A variable in the host may be a name, a port or both, and must not end the host.
  const [, filled = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? [];
  const beginning = host.slice(0, host.indexOf('{'));
  const ending = host.slice(host.lastIndexOf('}') + 1);
  // After a whole name, only a port or a path can follow.
  const isWhole = ending === '' && /[a-z0-9]$/i.test(beginning);
  if (isWhole && filled !== beginning && !filled.startsWith(`${beginning}:`)) return true;
  return filled.includes('@') !== host.includes('@') || !filled.endsWith(ending);
}

/** Text without control characters. */
function plain(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Unsupported();
  return text;
}
