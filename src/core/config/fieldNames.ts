/** The names in a server's entry: its fields, the names of its types, and how other hosts and slips of the pen spell them. */
import type { RemoteDefinition } from './serverDefinition.js';

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
  socket: 'socket',
};

/** Slips of the pen, in lower case, by the field that was meant. */
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
  'disabledTools',
];
/**
 * The fields that nearly every server has, and no other: where there are only these, there is nothing else to look
 * for.
 */
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
/** What a definition has under another name, or not at all, once it is read. */
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
/** What only HTTP and WebSocket can carry. */
export const httpFields = ['headers', 'caFile', 'oauth'];
export const socketFields: ReadonlySet<string> = new Set([...commonFields, 'url', 'serverUrl']);
export const remoteFields: ReadonlySet<string> = new Set([...socketFields, ...httpFields]);

/** `envfile`, `ENV` and `time_out_ms` by the field that they spell. */
const plainSpelling: ReadonlyMap<string, string> = new Map(
  [...localFields, ...remoteFields].map((name) => [name.toLowerCase(), name]),
);

/** What the name of a type means, in the spelling of any host; undefined for an unknown one. */
export function serverTypeOf(value: unknown): 'stdio' | RemoteDefinition['type'] | undefined {
  return isTypeName(value) ? typeNames[value] : undefined;
}

/** Whether a value is the name of a type, in the spelling of any host. */
export function isTypeName(value: unknown): value is string {
  return typeof value === 'string' && Object.hasOwn(typeNames, value);
}

/** The field that an unknown name is a slip of the pen for; undefined for a field, and where no field is meant. */
export function meantField(name: string): string | undefined {
  if (localFields.has(name) || remoteFields.has(name)) return undefined;
  const spelled = name.toLowerCase().replace(/[_-]/g, '');
  return plainSpelling.get(spelled) ?? (Object.hasOwn(typos, spelled) ? typos[spelled] : undefined);
}
