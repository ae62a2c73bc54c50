import path from 'node:path';
import { countHidden, visibleLine, visibleText } from '../base/hostileText.js';
import type { ConfigSource, InputDefinition, RemoteDefinition, ServerDefinition, StdioDefinition } from './serverDefinition.js';
import { inputsNamedBy } from './variables.js';

/** Everything that a start would do, for the question before it: untruncated, hidden characters made visible, no values of secrets. */
export interface StartDescription {
  /** Local servers. */
  command?: string;
  /** One text per argument: none can pass for two, or two for one. */
  args?: string[];
  cwd?: string;
  envFile?: string;
  /** Present where messages are not framed as MCP has it. */
  framing?: 'content-length';
  /** Names only. */
  envNames: string[];
  /** Remote servers. */
  url?: string;
  /** The server at `url` is spoken to in JSON lines, without HTTP. */
  isRawSocket?: true;
  /** Names only. */
  headerNames: string[];
  /** `.vscode/mcp.json`, with the folder's name where there are several. */
  source: string;
  /** Settings of the workspace whose values are filled in; names only. Absent: none. */
  settings?: string[];
  /** Sentences about what deserves a second look. */
  warnings: string[];
}

/** What is described: an entry of the registry, or less. */
export interface StartSubject {
  definition: ServerDefinition;
  source: ConfigSource;
  /** The inputs that its variables name. Default none. */
  inputs?: readonly InputDefinition[];
  /** Settings of the workspace whose values are filled in already. Default none. */
  settings?: readonly string[];
}

/** Never cut: what is cut off is what an attacker would put there. */
const untruncated = Number.MAX_SAFE_INTEGER;

const show = (text: string) => visibleText(text, untruncated);

/** Describes what starting this definition does. */
export function describeStart({ definition, source, inputs = [], settings = [] }: StartSubject): StartDescription {
  const common = { source: show(source.folderName === undefined ? source.label : `${source.folderName}: ${source.label}`), envNames: [], headerNames: [], ...(settings.length === 0 ? {} : { settings: settings.map(show) }) };
  if (definition.type === 'builtin') return { ...common, warnings: [] };
  const asked = inputWarnings(inputsNamedBy(definition, new Map(inputs.map((input) => [input.id, input]))));
  if (definition.type !== 'stdio') {
    const headerNames = Object.keys(definition.headers);
    return { ...common, url: show(definition.url), ...(definition.type === 'socket' ? { isRawSocket: true } : {}), headerNames: headerNames.map(show), warnings: [...hiddenWarning([definition.url]), ...addressWarnings(definition), ...oauthWarnings(definition), ...asked] };
  }
  const { command, args, cwd, envFile, env, framing } = definition;
  return {
    ...common,
    command: show(command),
    args: args.map(show),
    ...(cwd === undefined ? {} : { cwd: show(cwd) }),
    ...(envFile === undefined ? {} : { envFile: show(envFile) }),
    ...(framing === 'content-length' ? { framing } : {}),
    envNames: Object.keys(env).map(show),
    warnings: [
      ...hiddenWarning([command, ...args, cwd ?? '', envFile ?? '', ...Object.keys(env)]),
      ...commandWarnings([command, ...args]),
      ...loaderWarning(Object.keys(env)),
      ...outsideWarnings(definition, source),
      ...asked,
    ],
  };
}

const administrators: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'runas', 'gsudo']);
const downloaders: ReadonlySet<string> = new Set(['curl', 'wget', 'iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod']);
const deleters: ReadonlySet<string> = new Set(['rm', 'del', 'rd', 'rmdir', 'remove-item']);
const permissions: ReadonlySet<string> = new Set(['chmod', 'chown', 'icacls']);
const separators: ReadonlySet<string> = new Set(['|', ';', '&', '\n']);

/** The options after which a shell or interpreter expects code. */
const posixShell = /^-[a-z]*c$|^--command$/;
const powerShell = /^[-/](?:c|command|e|ec|enc|encodedcommand)$/i;
const shells: ReadonlyMap<string, RegExp> = new Map([
  ...['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'csh', 'tcsh', 'fish'].map((name) => [name, posixShell] as const),
  ['cmd', /^\/[ckr]/i],
  ['powershell', powerShell],
  ['pwsh', powerShell],
  ['npx', /^(?:-c|--call)$/],
]);
const interpreters: ReadonlyMap<string, RegExp> = new Map([
  ...['python', 'python2', 'python3'].map((name) => [name, /^-[a-z]*c$/i] as const),
  ...['node', 'bun'].map((name) => [name, /^(?:-e|-p|-pe|--eval|--print)$/] as const),
  ...['perl', 'ruby'].map((name) => [name, /^-[a-z]*e$/i] as const),
  ['deno', /^eval$/],
  ['php', /^-r$/],
]);

/**
 * Looks at words and never at meaning: who wants to hide a command can. It is there for what is pasted from a page without
 * being read. Linear in the texts, because they may be hostile.
 */
function commandWarnings(line: readonly string[]): string[] {
  const found = { administrator: false, deletes: false, downloads: false, permissions: false, shell: false, code: false };
  let hasDownloaded = false;
  let isPiped = false;
  let isDeleting = false;
  /** Whose options are being read, over the borders of arguments. */
  let runner: string | undefined;
  for (const [index, text] of line.entries()) {
    if (/(?:[$<]\(|`)\s*(?:curl|wget|irm|iwr)\b/i.test(text)) found.downloads = true;
    for (const token of tokensOf(text)) {
      if (separators.has(token)) {
        isPiped = token === '|';
        isDeleting = false;
        runner = undefined;
        continue;
      }
      const word = programOf(token);
      const isRunner = shells.has(word) || interpreters.has(word);
      found.administrator ||= administrators.has(word);
      found.permissions ||= permissions.has(word);
      found.downloads ||= hasDownloaded && isPiped && (isRunner || word === 'iex');
      found.deletes ||= isDeleting && /^-[a-z]*[rf]|^--(?:recursive|force)$|^\/[sq]$/i.test(token);
      hasDownloaded ||= downloaders.has(word);
      isDeleting ||= deleters.has(word);
      if (runner !== undefined) {
        found.shell ||= shells.get(runner)?.test(token) ?? false;
        found.code ||= interpreters.get(runner)?.test(token) ?? false;
        // What follows a script's name is for the script.
        if (interpreters.has(runner) && !token.startsWith('-')) runner = undefined;
      }
      // The program itself, behind a pipe, or an argument that is nothing but its name (`env bash -c`).
      if (isRunner && (index === 0 || isPiped || text === token)) runner = word;
      isPiped = false;
    }
  }
  return [
    ...(found.administrator ? ['It asks for administrator rights (sudo).'] : []),
    ...(found.deletes ? ['It deletes files (rm).'] : []),
    ...(found.downloads ? ['It downloads something and runs it at once.'] : []),
    ...(found.permissions ? ['It changes permissions of files.'] : []),
    ...(found.shell ? ['It runs a shell script given on the command line.'] : []),
    ...(found.code ? ['It runs program code given on the command line.'] : []),
  ];
}

/** Words and separators; quotes and brackets of a shell end a word, so that `$(sudo` and `"sudo"` show the word. */
function tokensOf(text: string): string[] {
  return text.match(/[|;&\n]|[^\s|;&"'`()<>{}]+/g) ?? [];
}

/** `/usr/bin/bash`, `C:\…\CMD.EXE` and `bash` by their plain name. */
function programOf(token: string): string {
  const slash = Math.max(token.lastIndexOf('/'), token.lastIndexOf('\\'));
  return token.slice(slash + 1).toLowerCase().replace(/\.exe$/, '');
}

function hiddenWarning(texts: readonly string[]): string[] {
  const hidden = texts.reduce((sum, text) => sum + countHidden(text), 0);
  return hidden === 0 ? [] : [`It holds ${hidden} hidden ${hidden === 1 ? 'character' : 'characters'}, written as \\u{…} here.`];
}

/** Asked of the parser that will be used for the connection: an address can be written so that it seems to lead elsewhere. */
function addressWarnings({ url }: RemoteDefinition): string[] {
  if (!URL.canParse(url)) return /^(?:http|ws):/i.test(url) ? ['The connection is not encrypted.'] : [];
  const { protocol, hostname, username, password } = new URL(url);
  const isPlain = protocol === 'http:' || protocol === 'ws:';
  return [
    ...(isPlain && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) ? ['The connection is not encrypted.'] : []),
    ...(username === '' && password === '' ? [] : [`What stands before the @ is no part of the address: it leads to ${show(hostname)}.`]),
    ...(/(?:^|\.)xn--/.test(hostname) ? [`The name of the host has letters that can look like others; it is written ${show(hostname)}.`] : []),
  ];
}

/** Variables that make a harmless program load, or fetch from, something else. */
const loaders =
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|BASH_ENV|ENV|ZDOTDIR|GIT_SSH_COMMAND|COMSPEC|PATHEXT|PATH|NPM_CONFIG_\w+|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|UV_INDEX_URL|UV_DEFAULT_INDEX)$/i;

function loaderWarning(names: readonly string[]): string[] {
  const found = names.filter((name) => loaders.test(name));
  return found.length === 0 ? [] : [`It changes what programs load (${found.join(', ')}).`];
}

/** Only what can be seen before variables are filled in. */
function outsideWarnings({ cwd, envFile }: StdioDefinition, { folderPath }: ConfigSource): string[] {
  if (folderPath === undefined) return [];
  return [
    ...(cwd !== undefined && isOutside(cwd, folderPath) ? ['It runs in a folder outside the workspace folder.'] : []),
    ...(envFile !== undefined && isOutside(envFile, folderPath) ? ['It reads variables from a file outside the workspace folder.'] : []),
  ];
}

function isOutside(written: string, folderPath: string): boolean {
  const own = written.replace(/^\$\{workspaceFolder\}/, () => folderPath);
  if (/^(?:~(?:[\\/]|$)|\$\{userHome\})/.test(own)) return true;
  // Another variable at the beginning may lead anywhere; that cannot be known yet.
  if (own.startsWith('${')) return false;
  const relative = path.relative(folderPath, path.resolve(folderPath, own));
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** Such an input asks nobody: it runs something in the editor. */
function inputWarnings(inputs: readonly InputDefinition[]): string[] {
  return inputs.flatMap(({ id, type, command, args }) =>
    type === 'command' ? [`It runs the VS Code command "${visibleLine(command ?? '', untruncated)}"${args === undefined ? '' : ` with ${visibleLine(JSON.stringify(args), untruncated)}`} to fill in \${input:${visibleLine(id, untruncated)}}.`] : [],
  );
}

/** A sign-in that reads files of this machine, or that may lead into the private network, does what nobody expects of an address. */
function oauthWarnings({ oauth }: RemoteDefinition): string[] {
  if (!oauth) return [];
  const files = [oauth.privateKeyFile, oauth.idTokenFile, oauth.tokenFile].filter((file) => file !== undefined);
  return [
    ...files.map((file) => `Its sign-in reads ${show(file)} and sends what follows from it.`),
    ...(oauth.trustedHosts ?? []).map((host) => `Its sign-in may lead to ${show(host)}, also in your own network.`),
    ...(oauth.provider ? [`Its sign-in asks ${show(oauth.provider.tokenEndpoint)} for a token in your name.`] : []),
  ];
}
