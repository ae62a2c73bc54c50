/**
 * The configuration files of other apps, as tables: where the servers stand, what each field means, which variables
 * there are. Reading and writing are the same for all of them, in `importFile.ts` and `exportFile.ts`.
 */
import { isObject, isStringArray } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { Path } from './portableServer.js';

export type AppId =
  'claude-desktop' | 'claude-code' | 'cursor' | 'windsurf' | 'cline' | 'roo' | 'continue' | 'zed' | 'vscode';

/** One field: `theirs` in the app's file, `ours` in our own. */
export interface FieldRule {
  theirs: Path;
  ours: Path;
  /** Which servers have it. Default both. */
  on?: 'local' | 'remote';
  /** Their value as ours; undefined: not understood. Default: as it is. */
  read?(value: unknown): unknown;
  /** Ours as theirs; undefined: cannot be said there. Default: as it is. */
  write?(value: unknown): unknown;
  /** What to tell of a value of ours of which only a part can be written. */
  unwritten?(value: unknown, app: string): string | undefined;
  /** Understood when read, never written. */
  isReadOnly?: boolean;
  /** What to tell when it was read: it is not the same behind the way. */
  note?: string;
  /** What to tell of a value that is none for this field, and is read as what allows least. */
  oddNote?(value: unknown): string | undefined;
}

/** Which variables a file can name. `plain`: none, a text is what it is. */
type Notation = 'plain' | 'vscode' | 'env' | 'portable' | 'secrets';

export interface AppFormat {
  id: AppId;
  title: string;
  syntax: 'json' | 'yaml';
  /** The key of the servers. */
  key: 'mcpServers' | 'servers' | 'context_servers';
  notation: Notation;
  /** Variables that mean the same as ours, besides those of the notation. */
  variables: readonly string[];
  rules: readonly FieldRule[];
  /** What a type of ours is called; absent: the file has no such type, and no field for it. */
  types: { stdio?: string; http?: string; sse?: string; ws?: string };
  /** What an address without a type means, where it is not "find out". */
  untyped?: 'sse';
  /** Without remote servers: where they go instead. */
  noRemote?: string;
  /** Fields that nobody knows are carried as they are: the file is of our own kind. */
  keepsUnknown?: true;
}

const same = (...path: string[]): FieldRule => ({ theirs: path, ours: path });
const local = (...path: string[]): FieldRule => ({ ...same(...path), on: 'local' });
const remote = (...path: string[]): FieldRule => ({ ...same(...path), on: 'remote' });

const oddSwitch = (value: unknown) =>
  typeof value === 'boolean' ? undefined : 'It has to be true or false; the server counts as disabled.';
/** Whatever stands there switches the server off, unless it says the opposite. */
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
 * What cannot be read was meant to switch something off: then every tool is off. Only names are written: a pattern
 * would switch off nothing there.
 */
const disabledTools: FieldRule = {
  ...same('disabledTools'),
  read: (value) => (isStringArray(value) ? value : ['*']),
  oddNote: (value) => (isStringArray(value) ? undefined : 'It has to be a list of names; every tool is off here.'),
  write: (value) => (isStringArray(value) ? value.filter((name) => !isPattern(name)) : []),
  unwritten: (value, app) => {
    const patterns = isStringArray(value) ? value.filter(isPattern) : [];
    return patterns.length === 0
      ? undefined
      : `${app} takes names only: the tools that ${patterns.map((pattern) => `"${visibleLine(pattern, 60)}"`).join(', ')} switches off here are on there.`;
  },
};
/**
 * What switches something off counts in every file, also where the app itself does not look at it. Never written for
 * those.
 */
export const narrowingRules: readonly FieldRule[] = [
  disabled,
  { ...enabled, note: 'It is written as "disabled" now.' },
  disabledTools,
];
const start = [local('command'), local('args'), { ...local('env'), write: withoutRemoved }];
const address = [remote('url'), remote('headers')];

/** `null` removes an inherited variable here and in VS Code; elsewhere there is nothing to remove it with. */
function withoutRemoved(env: unknown): unknown {
  return isObject(env) ? Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null)) : env;
}

/** Up to three hundred years, so that no unit makes it inexact. */
const isDuration = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e10;

/** Whole milliseconds here; what is none is not understood. */
function timeoutIn(unitMs: number): FieldRule {
  const read = (value: unknown) => {
    const timeoutMs = isDuration(value) ? Math.round(value * unitMs) : 0;
    return timeoutMs > 0 && timeoutMs / unitMs === value ? timeoutMs : undefined;
  };
  return { theirs: ['timeout'], ours: ['timeoutMs'], read, write: (value) => Number(value) / unitMs };
}

/** Claude Code has all scopes in one text, as OAuth does. */
const scopesAsText: FieldRule = {
  ...remote('oauth', 'scopes'),
  read: (value) => (typeof value === 'string' && /^\S+(?: \S+)*$/.test(value) ? value.split(' ') : undefined),
  write: (value) => (isStringArray(value) ? value.join(' ') : value),
};

/** Claude Code writes the port of its redirect alone; host and path are always these. */
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
    // Some versions read `serverUrl` alone.
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
        note: 'It is written as the header "Authorization" now.',
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
      // The older shape has the program and its arguments in one object.
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
      // Says that no extension of Zed brought it.
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

/** Our own files, as what others are written into. */
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
