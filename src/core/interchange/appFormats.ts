/**
 * Tables that describe the configuration files of other apps: where the servers are, what each field means, and which
 * variables are supported. `importFile.ts` and `exportFile.ts` read and write all of them.
 */
import { isObject } from '../base/guards.js';
import { agentFormats } from './agentFormats.js';
import type { FieldRule } from './fieldRules.js';
import {
  address,
  callbackPort,
  disabled,
  disabledTools,
  enabled,
  isDuration,
  local,
  remote,
  same,
  scopesAsText,
  start,
  timeoutIn,
} from './fieldRules.js';

export type AppId =
  | 'claude-desktop'
  | 'claude-code'
  | 'cursor'
  | 'windsurf'
  | 'cline'
  | 'roo'
  | 'continue'
  | 'zed'
  | 'vscode'
  | keyof typeof agentFormats;

/** The variable syntax of a file. `plain` means that the file has no variables and all text is literal. */
type Notation = 'plain' | 'vscode' | 'env' | 'portable' | 'secrets';

export interface AppFormat {
  id: AppId;
  title: string;
  syntax: 'json' | 'yaml' | 'toml';
  /** The key of the object or list of servers in the file. */
  key: 'mcpServers' | 'servers' | 'context_servers' | 'mcp' | 'mcp_servers';
  notation: Notation;
  /** Variables with the same meaning as ours, in addition to those of the notation. */
  variables: readonly string[];
  /**
   * The beginning of texts that the app might replace; default: `${`. It must match in linear time, and must not depend
   * on the end of the variable, which can be in another text of the file. In the text that is searched, each variable
   * that the app fills in is `\0`.
   */
  replaces?: RegExp;
  rules: readonly FieldRule[];
  /** The app's names for our server types. A type without a name is not written; a WebSocket server is then refused. */
  types: { stdio?: string; http?: string; sse?: string; ws?: string };
  /** The type of a server with a URL and no type. Default: MCP Deck detects the type. */
  untyped?: 'sse';
  /** For apps whose file cannot contain remote servers: where the user adds such servers instead. */
  noRemote?: string;
  /** Set if unknown fields are copied unchanged, because the file has the same format as ours. */
  keepsUnknown?: true;
  /** Fields of a new entry that have no equivalent here. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Converts an entry so that the rules apply to it. Default: the entry is not changed. */
  split?(entry: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** The reverse of `split`. */
  join?(fields: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

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
    noRemote: 'add the server under Settings, Connectors',
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
    // Newer files contain all fields in `transport`.
    split: ({ transport, ...rest }) => (isObject(transport) ? { ...transport, ...rest } : { ...rest }),
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
  ...agentFormats,
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
