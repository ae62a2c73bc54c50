/** The formats of coding agents, whose files are more different from ours than those of editors (`appFormats.ts`). */
import { isObject, isStringArray } from '../base/guards.js';
import type { FieldRule } from './fieldRules.js';
import { address, disabled, disabledTools, enabled, local, remote, start, timeoutIn } from './fieldRules.js';

type Entry = Readonly<Record<string, unknown>>;

/** Replaces a pattern in all texts of an entry. The pattern matches no character that JSON escapes. */
function withPattern(entry: Entry, pattern: RegExp, text: string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(entry).replace(pattern, text)) as Record<string, unknown>;
}

/** The list of enabled tools. Only a list with `*` is read, because a list of names has no equivalent here. */
const allTools: FieldRule = {
  theirs: ['tools'],
  ours: [],
  isReadOnly: true,
  read: (value) => (isStringArray(value) && value.includes('*') ? value : undefined),
};

const withoutBraces = /\$[A-Za-z_{]/;
/** On Windows, Gemini CLI also replaces `%NAME%`. */
const inGemini = /\$[A-Za-z_{]|%\w*[%\0]/;
/** opencode replaces these in the whole text of the file, before it parses the JSON. */
const inOpencode = /\$\{|\{(?:env|file):/;

export const agentFormats = {
  'copilot-cli': {
    id: 'copilot-cli',
    title: 'GitHub Copilot CLI',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'portable',
    replaces: withoutBraces,
    variables: [],
    rules: [...start, ...address, timeoutIn(1), allTools],
    types: { stdio: 'local', http: 'http', sse: 'sse' },
    // Without this field, the app enables no tool.
    defaults: { tools: ['*'] },
  },
  codex: {
    id: 'codex',
    title: 'Codex',
    syntax: 'toml',
    key: 'mcp_servers',
    notation: 'plain',
    variables: [],
    rules: [
      ...start,
      local('cwd'),
      remote('url'),
      { theirs: ['http_headers'], ours: ['headers'], on: 'remote' },
      timeoutIn(1_000, 'tool_timeout_sec'),
      timeoutIn(1_000, 'startup_timeout_sec', 'startTimeoutMs'),
      enabled,
      { ...disabledTools, theirs: ['disabled_tools'] },
    ],
    types: {},
  },
  gemini: {
    id: 'gemini',
    title: 'Gemini CLI',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'portable',
    replaces: inGemini,
    variables: [],
    rules: [...start, local('cwd'), ...address, timeoutIn(1), { ...disabledTools, theirs: ['excludeTools'] }],
    types: { http: 'http', sse: 'sse' },
    // The name of the field with the URL states the transport, and variables need no braces.
    split: (written: Entry) => {
      const { httpUrl, ...entry } = withPattern(written, /\$([A-Za-z_]\w*)/g, '$${$1}');
      if (httpUrl !== undefined) return { ...entry, type: 'http', url: httpUrl };
      return entry['url'] === undefined || entry['type'] !== undefined ? entry : { type: 'sse', ...entry };
    },
    join: ({ type, url, ...entry }: Entry) =>
      url === undefined ? entry : { [type === 'sse' ? 'url' : 'httpUrl']: url, ...entry },
  },
  opencode: {
    id: 'opencode',
    title: 'opencode',
    syntax: 'json',
    key: 'mcp',
    notation: 'env',
    replaces: inOpencode,
    variables: [],
    rules: [
      local('command'),
      local('args'),
      { ...(start[2] as FieldRule), theirs: ['environment'] },
      ...address,
      timeoutIn(1),
      enabled,
    ],
    types: { stdio: 'local', http: 'remote', sse: 'remote' },
    // The command and its arguments are one list, and variables have no dollar sign.
    split: ({ type, command, ...rest }: Entry) =>
      withPattern(
        {
          ...(type === 'remote' || type === undefined ? {} : { type }),
          ...(Array.isArray(command) ? { command: command[0] as unknown, args: command.slice(1) } : {}),
          ...(typeof command === 'string' ? { command } : {}),
          ...rest,
        },
        /(?<!\$)\{env:([^{}"\\]+)\}/g,
        '$${env:$1}',
      ),
    join: ({ command, args, ...rest }: Entry) =>
      withPattern(
        command === undefined
          ? rest
          : {
              ...('type' in rest ? { type: rest['type'] } : {}),
              command: [command, ...(Array.isArray(args) ? (args as unknown[]) : [])],
              ...rest,
            },
        /\$\{env:([^{}"\\]+)\}/g,
        '{env:$1}',
      ),
  },
  kiro: {
    id: 'kiro',
    title: 'Kiro',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'portable',
    replaces: withoutBraces,
    variables: [],
    rules: [...start, ...address, disabled, disabledTools],
    types: {},
  },
  junie: {
    id: 'junie',
    title: 'JetBrains Junie',
    syntax: 'json',
    key: 'mcpServers',
    notation: 'plain',
    variables: [],
    rules: [...start],
    types: {},
    noRemote: 'add the server in the settings of the IDE',
  },
} as const;

/**
 * The path of the servers in a file of opencode. The second version has the servers one level deeper, below "servers".
 * A server of the first version may also have the name "servers"; it is recognized by its type.
 */
export function opencodePath(root: unknown): readonly string[] {
  const servers = isObject(root) && isObject(root['mcp']) ? root['mcp']['servers'] : undefined;
  return isObject(servers) && typeof servers['type'] !== 'string' ? ['mcp', 'servers'] : ['mcp'];
}
