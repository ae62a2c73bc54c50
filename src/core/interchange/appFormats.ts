/**
 * Tables that describe the configuration files of other apps: where the servers are, what each field means, and which
 * variables are supported. `importFile.ts` and `exportFile.ts` read and write all of them.
 */
import { isObject, isStringArray } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { Path } from './portableServer.js';

export type AppId =
  'claude-desktop' | 'claude-code' | 'cursor' | 'windsurf' | 'cline' | 'roo' | 'continue' | 'zed' | 'vscode';

/** One field: `theirs` is its path in the app's file, `ours` its path in a definition of MCP Deck. */
export interface FieldRule {
  theirs: Path;
  ours: Path;
  /** The kind of server that has this field. Default: both kinds. */
  on?: 'local' | 'remote';
  /** Converts the app's value to ours; undefined if the value is invalid. Default: the value is copied unchanged. */
  read?(value: unknown): unknown;
  /**
   * Converts our value to the app's; undefined if the app cannot express it. Default: the value is copied unchanged.
   */
  write?(value: unknown): unknown;
  /** The message if only a part of our value can be written. */
  unwritten?(value: unknown, app: string): string | undefined;
  /** Whether the field is read but never written. */
  isReadOnly?: boolean;
  /** The message if the field was read but its effect differs after the import. */
  note?: string;
  /** The message for an invalid value that is read as the most restrictive valid value. */
  oddNote?(value: unknown): string | undefined;
}

/** The variable syntax of a file. `plain` means that the file has no variables and all text is literal. */
type Notation = 'plain' | 'vscode' | 'env' | 'portable' | 'secrets';

export interface AppFormat {
  id: AppId;
  title: string;
  syntax: 'json' | 'yaml';
  /** The key of the object or list of servers in the file. */
  key: 'mcpServers' | 'servers' | 'context_servers';
  notation: Notation;
  /** Variables with the same meaning as ours, in addition to those of the notation. */
  variables: readonly string[];
  rules: readonly FieldRule[];
  /** The app's names for our server types. If a name is missing, the file cannot express that type. */
  types: { stdio?: string; http?: string; sse?: string; ws?: string };
  /** The type of a server with a URL and no type. Default: MCP Deck detects the type. */
  untyped?: 'sse';
  /** For apps whose file cannot contain remote servers: where the user adds such servers instead. */
  noRemote?: string;
  /** Set if unknown fields are copied unchanged, because the file has the same format as ours. */
  keepsUnknown?: true;
}

const same = (...path: string[]): FieldRule => ({ theirs: path, ours: path });
const local = (...path: string[]): FieldRule => ({ ...same(...path), on: 'local' });
const remote = (...path: string[]): FieldRule => ({ ...same(...path), on: 'remote' });

const oddSwitch = (value: unknown) =>
  typeof value === 'boolean' ? undefined : 'The value must be true or false. The server is treated as disabled.';
/** The rule for `disabled`. Any value except `false` disables the server. */
const disabled: FieldRule = {
  ...same('disabled'),
  read: (value) => (typeof value === 'boolean' ? value : true),
  write: (value) => value === true,
  oddNote: oddSwitch,
};
const enabled: FieldRule = {
  theirs: ['enabled'],
  ours: ['disabled'],
  read: (value) => (typeof value === 'boolean' ? !value : true),
  write: (value) => value !== true,
  oddNote: oddSwitch,
};
const isPattern = (name: string) => name.includes('*');
/**
 * The rule for `disabledTools`. An invalid value turns off every tool, because the user intended to turn something off.
 * Only names are written, because the app does not support patterns.
 */
const disabledTools: FieldRule = {
  ...same('disabledTools'),
  read: (value) => (isStringArray(value) ? value : ['*']),
  oddNote: (value) => (isStringArray(value) ? undefined : 'The value must be a list of names. Every tool is off here.'),
  write: (value) => (isStringArray(value) ? value.filter((name) => !isPattern(name)) : []),
  unwritten: (value, app) => {
    const patterns = isStringArray(value) ? value.filter(isPattern) : [];
    if (patterns.length === 0) return undefined;
    const shown = patterns.map((pattern) => `"${visibleLine(pattern, 60)}"`).join(', ');
    return `${app} supports names only: the tools that ${shown} switches off here will be on there.`;
  },
};
/**
 * The rules for fields that restrict a server. The import reads them from the files of all apps, even of apps that
 * ignore these fields; the export does not write them to the files of such apps.
 */
export const narrowingRules: readonly FieldRule[] = [
  disabled,
  { ...enabled, note: 'The field was converted to "disabled".' },
  disabledTools,
];
const start = [local('command'), local('args'), { ...local('env'), write: withoutRemoved }];
const address = [remote('url'), remote('headers')];

/**
 * The environment without variables whose value is `null`. MCP Deck and VS Code then remove an inherited variable,
 * which other apps cannot do.
 */
function withoutRemoved(env: unknown): unknown {
  return isObject(env) ? Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null)) : env;
}

/**
 * Whether a value is a usable duration. The maximum is about three hundred years, so that the conversion between units
 * stays exact.
 */
const isDuration = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e10;

/**
 * The rule for a timeout in another unit. MCP Deck stores whole milliseconds, so a value that cannot be converted
 * exactly is invalid.
 */
function timeoutIn(unitMs: number): FieldRule {
  const read = (value: unknown) => {
    const timeoutMs = isDuration(value) ? Math.round(value * unitMs) : 0;
    return timeoutMs > 0 && timeoutMs / unitMs === value ? timeoutMs : undefined;
  };
  return { theirs: ['timeout'], ours: ['timeoutMs'], read, write: (value) => Number(value) / unitMs };
}

/** The rule for scopes. Claude Code writes all scopes as one text, as OAuth does. */
const scopesAsText: FieldRule = {
  ...remote('oauth', 'scopes'),
  read: (value) => (typeof value === 'string' && /^\S+(?: \S+)*$/.test(value) ? value.split(' ') : undefined),
  write: (value) => (isStringArray(value) ? value.join(' ') : value),
};

/** The rule for the redirect URI. Claude Code writes only its port; the host and the path are fixed. */
const callbackPort: FieldRule = {
  theirs: ['oauth', 'callbackPort'],
  ours: ['oauth', 'redirectUri'],
  on: 'remote',
  read: (value) =>
    Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
      ? `http://localhost:${Number(value)}/callback`
      : undefined,
  write: (value) => {
    const port =
      typeof value === 'string' ? /^http:\/\/localhost:([1-9]\d{0,4})\/callback$/.exec(value)?.[1] : undefined;
    return port !== undefined && Number(port) < 65_536 ? Number(port) : undefined;
  },
};

export const appFormats: Readonly<Record<AppId, AppFormat>> = {
  'claude-desktop': {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'plain',
    variables: [],
    rules: [...start],
    types: {},
    noRemote: 'add it under Settings, Connectors',
  },
  'claude-code': {
    id: 'claude-code',
    title: 'Claude Code',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'portable',
    variables: [],
    rules: [...start, ...address, remote('oauth', 'clientId'), scopesAsText, callbackPort, timeoutIn(1)],
    types: { stdio: 'stdio', http: 'http', sse: 'sse', ws: 'ws' },
  },
  cursor: {
    id: 'cursor',
    title: 'Cursor',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'env',
    variables: ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', '/'],
    rules: [
      ...start,
      local('envFile'),
      ...address,
      { theirs: ['auth', 'CLIENT_ID'], ours: ['oauth', 'clientId'], on: 'remote' },
      { theirs: ['auth', 'CLIENT_SECRET'], ours: ['oauth', 'clientSecret'], on: 'remote' },
      { theirs: ['auth', 'scopes'], ours: ['oauth', 'scopes'], on: 'remote' },
    ],
    types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  },
  windsurf: {
    id: 'windsurf',
    title: 'Windsurf',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'env',
    variables: [],
    // Some versions of the app read only `serverUrl`.
    rules: [
      ...start,
      { theirs: ['serverUrl'], ours: ['url'], on: 'remote' },
      { ...remote('url'), isReadOnly: true },
      remote('headers'),
      disabled,
      disabledTools,
    ],
    types: {},
  },
  cline: {
    id: 'cline',
    title: 'Cline',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'env',
    variables: [],
    rules: [...start, local('cwd'), ...address, disabled, timeoutIn(1_000)],
    types: { stdio: 'stdio', http: 'streamableHttp', sse: 'sse' },
    untyped: 'sse',
  },
  roo: {
    id: 'roo',
    title: 'Roo Code',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'env',
    variables: ['workspaceFolder'],
    rules: [...start, local('cwd'), ...address, disabled, disabledTools, timeoutIn(1_000)],
    types: { stdio: 'stdio', http: 'streamable-http', sse: 'sse' },
  },
  continue: {
    id: 'continue',
    title: 'Continue',
    syntax: 'yaml',
    key: 'mcpServers',
    notation: 'secrets',
    variables: [],
    rules: [
      ...start,
      local('cwd'),
      remote('url'),
      { theirs: ['requestOptions', 'headers'], ours: ['headers'], on: 'remote' },
      {
        theirs: ['apiKey'],
        ours: ['headers', 'Authorization'],
        on: 'remote',
        isReadOnly: true,
        note: 'The field was converted to the header "Authorization".',
        read: (value) => (typeof value === 'string' ? `Bearer ${value}` : undefined),
      },
      {
        theirs: ['connectionTimeout'],
        ours: ['startTimeoutMs'],
        read: (value) => (isDuration(value) ? value : undefined),
      },
    ],
    types: { stdio: 'stdio', http: 'streamable-http', sse: 'sse' },
  },
  zed: {
    id: 'zed',
    title: 'Zed',
    syntax: 'json',
    key: 'context_servers',
    notation: 'plain',
    variables: [],
    rules: [
      // The older format has the program and its arguments in one object.
      { theirs: ['command', 'path'], ours: ['command'], on: 'local', isReadOnly: true },
      { theirs: ['command', 'args'], ours: ['args'], on: 'local', isReadOnly: true },
      { theirs: ['command', 'env'], ours: ['env'], on: 'local', isReadOnly: true },
      { ...local('command'), read: (value) => (isObject(value) ? undefined : value) },
      ...start.slice(1),
      ...address,
      { theirs: ['oauth', 'client_id'], ours: ['oauth', 'clientId'], on: 'remote' },
      { theirs: ['oauth', 'client_secret'], ours: ['oauth', 'clientSecret'], on: 'remote' },
      timeoutIn(1_000),
      enabled,
      // `custom` means that the server does not come from a Zed extension.
      { theirs: ['source'], ours: [], isReadOnly: true, read: (value) => (value === 'custom' ? value : undefined) },
    ],
    types: {},
  },
  vscode: {
    id: 'vscode',
    title: 'VS Code',
    syntax: 'json',
    key: 'servers',
    notation: 'vscode',
    variables: [],
    rules: [
      local('command'),
      local('args'),
      local('env'),
      local('envFile'),
      local('cwd'),
      ...address,
      remote('oauth', 'clientId'),
      same('dev'),
    ],
    types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  },
};

/** Our own files and settings to which the import writes the servers of other apps. */
export type OwnFile = 'user' | 'vscode' | 'portable';

const ownRules: readonly FieldRule[] = [
  local('command'),
  local('args'),
  local('env'),
  local('envFile'),
  local('cwd'),
  local('framing'),
  remote('url'),
  remote('headers'),
  remote('oauth'),
  remote('caFile'),
  ...[
    'protocol',
    'timeoutMs',
    'startTimeoutMs',
    'maxMessagesPerSecond',
    'restartOnCrash',
    'sharing',
    'disabled',
    'disabledTools',
    'dev',
  ].map((name) => same(name)),
];

const own = {
  syntax: 'json',
  variables: [],
  rules: ownRules,
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  keepsUnknown: true,
} as const;

export const ownFormats: Readonly<Record<OwnFile, Omit<AppFormat, 'id'>>> = {
  user: { ...own, title: 'MCP Deck', key: 'servers', notation: 'vscode' },
  vscode: { ...own, title: 'MCP Deck', key: 'servers', notation: 'vscode' },
  portable: {
    ...own,
    title: '.mcp.json',
    key: 'mcpServers',
    notation: 'portable',
    variables: ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', '/'],
  },
};
