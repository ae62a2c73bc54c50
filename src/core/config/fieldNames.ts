/** The names in a server entry: its fields, the names of its types, the spellings of other apps, and common typos. */
import type { RemoteDefinition } from './serverDefinition.js';

/** The type names of all apps, with their meanings. */
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
  socket: 'socket',
};

/** Common typos in lower case, with the intended field. */
const typos: Readonly<Record<string, string>> = {
  cmd: 'command',
  comand: 'command',
  commands: 'command',
  arg: 'args',
  agrs: 'args',
  arguments: 'args',
  environment: 'env',
  enviroment: 'env',
  enviornment: 'env',
  envs: 'env',
  uri: 'url',
  header: 'headers',
  workingdirectory: 'cwd',
  workdir: 'cwd',
  disabledtool: 'disabledTools',
  disabletool: 'disabledTools',
  disabletools: 'disabledTools',
};

const commonFields = [
  'type',
  'disabled',
  'enabled',
  'protocol',
  'timeout',
  'timeoutMs',
  'startTimeoutMs',
  'maxMessagesPerSecond',
  'restartOnCrash',
  'sharing',
  'disabledTools',
];
/** The fields of nearly every server. If an entry has only these fields, its names need no further checks. */
export const usualFields: ReadonlySet<string> = new Set([
  'type',
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'url',
  'headers',
]);
/** Fields that are renamed or dropped when a definition is read. */
export const otherSpellings: ReadonlySet<string> = new Set([
  'type',
  'transport',
  'serverUrl',
  'timeout',
  'enabled',
  'disabled',
]);
export const localFields: ReadonlySet<string> = new Set([
  ...commonFields,
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'framing',
]);
/** Fields that only HTTP and WebSocket support. */
export const httpFields = ['headers', 'caFile', 'oauth'];
export const socketFields: ReadonlySet<string> = new Set([...commonFields, 'url', 'serverUrl']);
export const remoteFields: ReadonlySet<string> = new Set([...socketFields, ...httpFields]);

/** Fields by their lower-case name, to recognize `envfile`, `ENV` and `time_out_ms`. */
const plainSpelling: ReadonlyMap<string, string> = new Map(
  [...localFields, ...remoteFields].map((name) => [name.toLowerCase(), name]),
);

/** The meaning of a type name in the spelling of any app; undefined for an unknown one. */
export function serverTypeOf(value: unknown): 'stdio' | RemoteDefinition['type'] | undefined {
  return isTypeName(value) ? typeNames[value] : undefined;
}

/** Whether a value is a type name in the spelling of any app. */
export function isTypeName(value: unknown): value is string {
  return typeof value === 'string' && Object.hasOwn(typeNames, value);
}

/** The field that an unknown name is a typo of. Undefined for a known field, and if no field is similar. */
export function meantField(name: string): string | undefined {
  if (localFields.has(name) || remoteFields.has(name)) return undefined;
  const spelled = name.toLowerCase().replace(/[_-]/g, '');
  return plainSpelling.get(spelled) ?? (Object.hasOwn(typos, spelled) ? typos[spelled] : undefined);
}
