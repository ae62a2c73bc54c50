import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { OwnFile } from '../appFormats.js';
import type { Found, NotFound } from './foundServer.js';
import { assignmentOf } from './foundServer.js';
import { readPastedJson } from './readJson.js';

/** The options before the server's own command. */
interface Options {
  env: Record<string, string>;
  headers: Record<string, string>;
  transport?: string;
  url?: string;
  place?: OwnFile;
  clientId?: string;
  cwd?: string;
  notes: string[];
}

/** Maximum number of words of a command; a longer command is rejected. */
const maxWords = 1_000;
const usage = () => t('The command needs a name and a command or URL: claude mcp add NAME COMMAND.');
const places: Readonly<Record<string, OwnFile>> = { user: 'user', global: 'user', project: 'portable' };
/** Options that are skipped together with their values, because the definition also works without them. */
const ignored =
  /^(?:--callback-port|--description|--timeout|--trust|--include-tools|--exclude-tools|--startup-timeout)$/;

/**
 * Reads `mcp add` and `mcp add-json` of Claude Code and of the clients that have the same commands.
 * @param words the words after `mcp`.
 * @param env the variables that are set before the command.
 */
export function readAddCommand(words: readonly string[], env: Readonly<Record<string, string>>): Found | NotFound {
  if (words.length > maxWords) return { problem: t('The text is too long.') };
  const [action, ...rest] = words;
  if (action !== 'add' && action !== 'add-json')
    return { problem: t('Only the commands "mcp add" and "mcp add-json" add a server.') };
  const options: Options = { env: { ...env }, headers: {}, notes: [] };
  const separator = rest.indexOf('--');
  const before = separator === -1 ? rest : rest.slice(0, separator);
  const positional = readOptions(before, options, separator !== -1);
  if ('problem' in positional) return positional;
  const [name, ...line] = [...positional.words, ...(separator === -1 ? [] : rest.slice(separator + 1))];
  const { notes, place } = options;
  const more = { notes, ...(place === undefined ? {} : { place }) };
  if (name === undefined) return { problem: usage() };
  if (action === 'add-json') {
    const found = readPastedJson(line[0] ?? '');
    if ('problem' in found) return found;
    return { ...found, servers: found.servers.slice(0, 1).map(({ raw }) => ({ name, raw })), ...more };
  }
  const [target = options.url, ...args] = line;
  if (target === undefined) return { problem: usage() };
  return { servers: [{ name, raw: definition(target, args, options) }], ...more };
}

function definition(target: string, args: string[], options: Options): Record<string, unknown> {
  const { transport, env, headers, clientId, cwd } = options;
  const isRemote = transport === undefined ? /^(?:https?|wss?):\/\//i.test(target) : transport !== 'stdio';
  const filled = (values: Record<string, string>) => Object.keys(values).length > 0;
  return isRemote
    ? {
        type: transport ?? 'http',
        url: target,
        ...(filled(headers) ? { headers } : {}),
        ...(clientId === undefined ? {} : { oauth: { clientId } }),
      }
    : {
        command: target,
        ...(args.length === 0 ? {} : { args }),
        ...(filled(env) ? { env } : {}),
        ...(cwd === undefined ? {} : { cwd }),
      };
}

/**
 * Reads the options from the words into `options`, and returns the other words. Without the separator `--`, unknown
 * options that follow the first word of the server's command are part of that command.
 */
function readOptions(
  words: readonly string[],
  options: Options,
  hasSeparator: boolean,
): { words: string[] } | NotFound {
  const left: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!/^-/.test(word) || word === '-') {
      left.push(word);
      continue;
    }
    const [, option = word, inline] = /^(--[\w-]+)=([^]*)$/.exec(word) ?? [];
    const value = inline ?? words[at + 1];
    const isOwn = left.length > 1 && !hasSeparator && /^(?:-e|-H|-s|-t)$/.test(option) && !isValueOf(option, value);
    const taken = isOwn ? 'unknown' : takeOption(option, value, options);
    if (taken === 'unknown') {
      if (left.length > 1 && !hasSeparator) left.push(word);
      else options.notes.push(t('The option {0} is ignored.', visibleLine(option, 40)));
      continue;
    }
    if (taken !== 'taken') return taken;
    if (inline === undefined) at++;
    // These options accept several values.
    if (/^(?:-e|--env)$/.test(option))
      while (assignmentOf(words[at + 1] ?? '')) takeOption(option, words[++at], options);
    if (/^(?:-H|--header)$/.test(option))
      while (/^[\w-]+:\s/.test(words[at + 1] ?? '')) takeOption(option, words[++at], options);
  }
  return { words: left };
}

/** Whether a word can be the value of a short option; otherwise the option belongs to the server's command. */
function isValueOf(option: string, value = ''): boolean {
  if (option === '-e') return assignmentOf(value) !== undefined;
  if (option === '-H') return /^[\w-]+:/.test(value);
  return /^(?:local|user|project|stdio|http|sse|ws|streamable-http)$/.test(value);
}

function takeOption(option: string, value: string | undefined, options: Options): 'taken' | 'unknown' | NotFound {
  switch (option) {
    case '-e':
    case '--env': {
      const pair = assignmentOf(value ?? '');
      if (!pair) return { problem: t('The option {0} needs a value such as NAME=value.', option) };
      options.env = { ...options.env, [pair[0]]: pair[1] };
      return 'taken';
    }
    case '-H':
    case '--header': {
      const [, name, text] = /^([^\s:=]+)\s*[:=]\s*([^]*)$/.exec(value ?? '') ?? [];
      if (name === undefined || text === undefined)
        return { problem: t('The option {0} needs a value such as "Name: value".', option) };
      options.headers = { ...options.headers, [name]: text };
      return 'taken';
    }
    case '-t':
    case '--transport':
    case '--type':
      if (value !== undefined) options.transport = value;
      return 'taken';
    case '-s':
    case '--scope': {
      const place = places[value ?? ''];
      if (place !== undefined) options.place = place;
      return 'taken';
    }
    case '--url':
      if (value !== undefined) options.url = value;
      return 'taken';
    case '--cwd':
      if (value !== undefined) options.cwd = value;
      return 'taken';
    case '--client-id':
      if (value !== undefined) options.clientId = value;
      return 'taken';
    case '--bearer-token-env-var':
      options.headers = { ...options.headers, Authorization: `Bearer \${env:${value ?? ''}}` };
      return 'taken';
    default:
      return ignored.test(option) ? 'taken' : 'unknown';
  }
}
