import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { ProtocolChoice, RemoteDefinition, ServerDefinition } from './serverDefinition.js';

/** Reports a problem of one server entry, at one of its fields where that is known. */
export type Report = (severity: 'error' | 'warning', message: string, field?: string) => void;

/** Type names of all hosts, by what they mean. */
const typeNames: Readonly<Record<string, 'stdio' | RemoteDefinition['type']>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
  ws: 'ws',
  websocket: 'ws',
};

/** Slips of the pen, by the field that was meant. */
const typos: Readonly<Record<string, string>> = {
  cmd: 'command',
  commands: 'command',
  arg: 'args',
  arguments: 'args',
  environment: 'env',
  enviroment: 'env',
  envs: 'env',
  envfile: 'envFile',
  uri: 'url',
  header: 'headers',
  workingDirectory: 'cwd',
};

const knownFields: ReadonlySet<string> = new Set([
  'type', 'transport', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'serverUrl', 'headers', 'disabled', 'enabled', 'protocol', 'timeout', 'timeoutMs', 'startTimeoutMs',
]);

/** A process cannot take these in a command line, and nobody means them. */
// eslint-disable-next-line no-control-regex -- the characters are the subject
const forbiddenInArguments = /[\u0000\r\n]/;

/**
 * Reads one entry. Undefined when it cannot be used at all; its problems have been reported then.
 */
export function readServer(value: unknown, report: Report): { definition: ServerDefinition; isDisabled: boolean } | undefined {
  if (!isObject(value)) {
    report('error', 'Expected an object with "command" for a local server or "url" for a remote one.');
    return undefined;
  }
  const typeName = value['type'] ?? (isObject(value['transport']) ? value['transport']['type'] : undefined);
  if (typeName !== undefined && (typeof typeName !== 'string' || !Object.hasOwn(typeNames, typeName))) {
    report('error', `The type ${visibleLine(JSON.stringify(typeName) ?? '', 40)} is unknown; known are stdio, http, sse and ws.`, 'type');
    return undefined;
  }
  const type = typeName === undefined ? undefined : typeNames[typeName];
  const common = readCommon(value, report);
  const isDisabled = value['disabled'] === true || value['enabled'] === false;
  const url = value['url'] ?? value['serverUrl'];
  for (const field of Object.keys(value)) {
    const meant = Object.hasOwn(typos, field) ? typos[field] : undefined;
    if (meant !== undefined && value[meant] === undefined) report('warning', `"${field}" is not a field of a server. Did you mean "${meant}"?`, field);
  }
  const isLocal = type === undefined ? value['command'] !== undefined || url === undefined : type === 'stdio';
  const definition = isLocal ? readLocal(value, report) : readRemote(url, type as RemoteDefinition['type'] | undefined, value, report);
  return definition && { definition: { ...definition, ...common }, isDisabled };
}

function readLocal(value: Record<string, unknown>, report: Report): ServerDefinition | undefined {
  const { command, args, cwd, envFile } = value;
  if (typeof command !== 'string' || command.trim() === '') {
    report('error', 'A local server needs a "command", the program to start. A remote server needs a "url".', 'command');
    return undefined;
  }
  if (args !== undefined && !Array.isArray(args)) {
    report('error', '"args" has to be a list of texts, one per argument.', 'args');
    return undefined;
  }
  const list = (args ?? []) as unknown[];
  if (!list.every((arg) => typeof arg === 'string' || typeof arg === 'number' || typeof arg === 'boolean')) {
    report('error', 'Every item of "args" has to be a text.', 'args');
    return undefined;
  }
  const texts = list.map(String);
  if (forbiddenInArguments.test(command) || texts.some((text) => forbiddenInArguments.test(text))) {
    report('error', '"command" and "args" cannot hold line breaks or NUL characters.', forbiddenInArguments.test(command) ? 'command' : 'args');
    return undefined;
  }
  const env = readEnv(value['env'], report);
  if (!env || !isOptionalText(cwd, 'cwd', report) || !isOptionalText(envFile, 'envFile', report)) return undefined;
  return {
    type: 'stdio',
    command,
    args: texts,
    env,
    ...(cwd === undefined ? {} : { cwd }),
    ...(envFile === undefined ? {} : { envFile }),
  };
}

function isOptionalText(value: unknown, field: string, report: Report): value is string | undefined {
  if (value === undefined || typeof value === 'string') return true;
  report('error', `"${field}" has to be a text.`, field);
  return false;
}

/** Numbers and booleans become text, as VS Code does; null removes an inherited variable. */
function readEnv(value: unknown, report: Report): Record<string, string | null> | undefined {
  if (value === undefined) return {};
  if (!isObject(value)) {
    report('error', '"env" has to be an object of names and values.', 'env');
    return undefined;
  }
  const env: [string, string | null][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (name === '' || name.includes('=') || name.includes('\0')) {
      report('error', `"${visibleLine(name, 60)}" cannot be the name of an environment variable.`, 'env');
      return undefined;
    }
    if (item === null || typeof item === 'string') env.push([name, item]);
    else if (typeof item === 'number' || typeof item === 'boolean') env.push([name, String(item)]);
    else {
      report('error', `The value of the environment variable "${visibleLine(name, 60)}" has to be a text, a number or null.`, 'env');
      return undefined;
    }
  }
  return Object.fromEntries(env);
}

function readRemote(url: unknown, type: RemoteDefinition['type'] | undefined, value: Record<string, unknown>, report: Report): ServerDefinition | undefined {
  const field = value['url'] === undefined ? 'serverUrl' : 'url';
  if (typeof url !== 'string' || url.trim() === '') {
    report('error', 'A remote server needs a "url".', field);
    return undefined;
  }
  // A url may be a variable as a whole; then its scheme is known only when it starts.
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (!url.startsWith('${') && (scheme === undefined || !['http', 'https', 'ws', 'wss', 'unix', 'pipe'].includes(scheme))) {
    report('error', 'The "url" has to begin with https:, http:, wss:, ws:, unix: or pipe:.', field);
    return undefined;
  }
  const isSocket = scheme === 'ws' || scheme === 'wss';
  const headers = readHeaders(value['headers'], report);
  if (!headers) return undefined;
  return { type: type ?? (isSocket ? 'ws' : 'auto'), url, headers };
}

function readHeaders(value: unknown, report: Report): Record<string, string> | undefined {
  if (value === undefined) return {};
  if (!isObject(value) || !Object.values(value).every((item) => typeof item === 'string')) {
    report('error', '"headers" has to be an object of names and texts.', 'headers');
    return undefined;
  }
  for (const [name, item] of Object.entries(value as Record<string, string>)) {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || /[\r\n]/.test(item)) {
      report('error', `"${visibleLine(name, 60)}" is not a valid HTTP header.`, 'headers');
      return undefined;
    }
  }
  return value as Record<string, string>;
}

/** Fields that both kinds share. */
function readCommon(value: Record<string, unknown>, report: Report): { protocol?: ProtocolChoice; timeoutMs?: number; startTimeoutMs?: number; extra?: Record<string, unknown> } {
  const { protocol } = value;
  const isChoice = protocol === 'auto' || protocol === 'legacy' || protocol === '2026-07-28';
  if (protocol !== undefined && !isChoice) report('warning', '"protocol" has to be auto, legacy or 2026-07-28; auto is used.', 'protocol');
  const timeoutMs = readMilliseconds(value, 'timeoutMs', report) ?? readForeignTimeout(value['timeout']);
  const startTimeoutMs = readMilliseconds(value, 'startTimeoutMs', report);
  const extra = Object.entries(value).filter(([name]) => !knownFields.has(name));
  return {
    ...(isChoice ? { protocol } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function readMilliseconds(value: Record<string, unknown>, field: string, report: Report): number | undefined {
  const given = value[field];
  if (given === undefined) return undefined;
  if (typeof given === 'number' && given > 0 && given < Infinity) return given;
  report('warning', `"${field}" has to be a number of milliseconds; the default is used.`, field);
  return undefined;
}

/** Hosts differ: Cline and Roo write seconds (1 to 3600), Claude Code milliseconds. The ranges do not overlap in practice. */
function readForeignTimeout(timeout: unknown): number | undefined {
  if (typeof timeout !== 'number' || !(timeout > 0) || timeout === Infinity) return undefined;
  return timeout <= 3_600 ? timeout * 1_000 : timeout;
}
