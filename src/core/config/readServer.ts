/**
 * Reads one entry of a configuration. All mistakes of an entry are reported at once, each at its place; an entry with an
 * error is not used at all, so that nothing starts half-read. `null` as the value of a field counts as not written:
 * programs that generate configurations write it for what they leave out.
 */
import type { Node } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import type { Member } from './jsonTree.js';
import { isStringArray } from '../base/guards.js';
import { readDevDebug, readDevWatch } from './dev.js';
import { membersOf, plainValue } from './jsonTree.js';
import { readOAuth } from './readOAuth.js';
import type {
  CommonDefinition,
  ConfigProblem,
  ProtocolChoice,
  RemoteDefinition,
  ServerDefinition,
  SourceKind,
  StdioDefinition,
  StdioFraming,
} from './serverDefinition.js';

/** Reports a problem of one server entry; at its name where no other place is given. */
export type Report = (severity: ConfigProblem['severity'], message: string, node?: Node) => void;

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
const usualFields: ReadonlySet<string> = new Set([
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
const localFields: ReadonlySet<string> = new Set([
  ...commonFields,
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'framing',
]);
/** What only HTTP and WebSocket can carry. */
const httpFields = ['headers', 'caFile', 'oauth'];
const socketFields: ReadonlySet<string> = new Set([...commonFields, 'url', 'serverUrl']);
const remoteFields: ReadonlySet<string> = new Set([...socketFields, ...httpFields]);

/** `envfile`, `ENV` and `time_out_ms` by the field that they spell. */
const plainSpelling: ReadonlyMap<string, string> = new Map(
  [...localFields, ...remoteFields].map((name) => [name.toLowerCase(), name]),
);

/** A process cannot take these in a command line, and nobody means them (security requirement P1). */
const forbiddenInArguments = /[\0\r\n]/;

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Undefined when the entry cannot be used; why has been reported then. */
export function readServer(
  entry: Node,
  kind: SourceKind,
  report: Report,
): { definition: ServerDefinition; isDisabled: boolean } | undefined {
  if (entry.type !== 'object') {
    report('error', 'Expected an object with "command" for a local server or "url" for a remote one.', entry);
    return undefined;
  }
  return new ServerReader(entry, kind, report).read();
}

class ServerReader {
  private readonly fields: Map<string, Member>;
  private isUsable = true;

  constructor(
    entry: Node,
    private readonly kind: SourceKind,
    private readonly report: Report,
  ) {
    const outer = this.distinct(entry);
    // Newer files of Cline put everything into `transport`; what stands outside comes first.
    const transport = outer.get('transport');
    this.fields = outer;
    if (transport?.value.type === 'object') {
      this.fields = new Map([...this.distinct(transport.value), ...outer]);
      this.fields.delete('transport');
    } else if (transport && !outer.has('type') && isTypeName(transport.value.value)) {
      // Other hosts name the type so.
      outer.delete('transport');
      outer.set('type', transport);
    }
  }

  read(): { definition: ServerDefinition; isDisabled: boolean } | undefined {
    const type = this.type();
    // What else is wrong depends on the type.
    if (!this.isUsable) return undefined;
    const isLocal = type === undefined ? this.has('command') || !this.has('url', 'serverUrl') : type === 'stdio';
    const definition = isLocal
      ? this.local(type !== undefined)
      : type === 'socket'
        ? this.socket()
        : this.remote(type as RemoteDefinition['type'] | undefined);
    const used = isLocal ? localFields : type === 'socket' ? socketFields : remoteFields;
    const isUsual = [...this.fields.keys()].every((name) => usualFields.has(name) && used.has(name));
    if (isUsual) return this.isUsable && definition ? { definition, isDisabled: false } : undefined;
    const common = this.common(used);
    const isDisabled = this.isDisabled();
    this.warnOfDev();
    this.warnOfTypos();
    return this.isUsable && definition ? { definition: { ...definition, ...common }, isDisabled } : undefined;
  }

  /** Members by name; of two with one name the last counts, as everywhere in JSON. */
  private distinct(object: Node): Map<string, Member> {
    const members = new Map<string, Member>();
    for (const member of membersOf(object)) {
      if (members.has(member.name))
        this.report('warning', `"${visibleLine(member.name, 60)}" is written twice; the last one counts.`, member.key);
      members.set(member.name, member);
    }
    return members;
  }

  private fail(message: string, node?: Node): undefined {
    this.isUsable = false;
    this.report('error', message, node);
    return undefined;
  }

  private node(name: string): Node | undefined {
    const value = this.fields.get(name)?.value;
    return value?.type === 'null' ? undefined : value;
  }

  private has(...names: string[]): boolean {
    return names.some((name) => this.node(name) !== undefined);
  }

  private type(): 'stdio' | RemoteDefinition['type'] | undefined {
    const node = this.node('type');
    if (!node) return undefined;
    const name: unknown = node.value;
    if (isTypeName(name)) return typeNames[name];
    return this.fail(
      `The type ${visibleLine(JSON.stringify(plainValue(node)) ?? '', 40)} is unknown; known are stdio, http, sse, ws and socket.`,
      node,
    );
  }

  private local(isTyped: boolean): StdioDefinition | undefined {
    const command = this.command(isTyped);
    const args = this.args();
    const env = this.env();
    const cwd = this.path('cwd');
    const envFile = this.path('envFile');
    const framing = this.framing();
    const url = this.fields.get('url') ?? this.fields.get('serverUrl');
    if (command === undefined) return undefined;
    if (url && url.value.type !== 'null')
      this.report(
        'warning',
        `"${url.name}" is not used, because "command" makes this a local server. Remove one of them.`,
        url.key,
      );
    return {
      type: 'stdio',
      command,
      args,
      env,
      ...(envFile === undefined ? {} : { envFile }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(framing === undefined ? {} : { framing }),
    };
  }

  private command(isTyped: boolean): string | undefined {
    const node = this.node('command');
    if (!node) {
      if (isTyped && this.has('url', 'serverUrl'))
        return this.fail(
          'A server of type "stdio" needs a "command", the program to start. For a "url" the type is "http".',
          this.node('type'),
        );
      return this.fail(
        'A local server needs a "command", the program to start. A remote server needs a "url".',
        this.fields.get('command')?.value,
      );
    }
    const command: unknown = node.value;
    if (typeof command !== 'string')
      return this.fail('"command" has to be a text, the program to start; its arguments go into "args".', node);
    if (command.trim() === '')
      return this.fail('"command" is empty. A local server needs a "command", the program to start.', node);
    if (forbiddenInArguments.test(command))
      return this.fail('"command" cannot hold line breaks or NUL characters.', node);
    // A path may hold spaces; the bare name of a program never does.
    if (!this.has('args') && /^[\w.-]+\s+\S/.test(command))
      this.report(
        'warning',
        `"command" is the program alone; it holds spaces. Its arguments go into "args", one text each.`,
        node,
      );
    return command;
  }

  private args(): string[] {
    const list = this.node('args');
    if (!list) return [];
    if (list.type !== 'array') {
      this.fail('"args" has to be a list of texts, one per argument.', list);
      return [];
    }
    return (list.children ?? []).map((node) => {
      const value: unknown = node.value;
      if (node.type !== 'string' && node.type !== 'number' && node.type !== 'boolean')
        this.fail('Every item of "args" has to be a text.', node);
      else if (forbiddenInArguments.test(String(value)))
        this.fail('"args" cannot hold line breaks or NUL characters.', node);
      else this.warnOfLostDigits(node);
      return String(value);
    });
  }

  private path(name: 'cwd' | 'envFile'): string | undefined {
    const node = this.node(name);
    if (!node) return undefined;
    const value: unknown = node.value;
    if (typeof value !== 'string') return this.fail(`"${name}" has to be a text, a path.`, node);
    return value.includes('\0') ? this.fail(`"${name}" cannot hold NUL characters.`, node) : value;
  }

  /** Numbers and booleans become text, as VS Code does; null removes an inherited variable. */
  private env(): Record<string, string | null> {
    const object = this.node('env');
    if (!object) return {};
    if (object.type !== 'object') {
      this.fail('"env" has to be an object of names and values.', object);
      return {};
    }
    const env: [string, string | null][] = [];
    for (const { name, key, value } of this.distinct(object).values()) {
      const content: unknown = value.value;
      if (name === '' || /[=\0]/.test(name))
        this.fail(`"${visibleLine(name, 60)}" cannot be the name of an environment variable.`, key);
      else if (value.type === 'null') env.push([name, null]);
      else if (value.type !== 'string' && value.type !== 'number' && value.type !== 'boolean') {
        this.fail(
          `The value of the environment variable "${visibleLine(name, 60)}" has to be a text, a number, true, false or null.`,
          value,
        );
      } else if (String(content).includes('\0'))
        this.fail(
          `The value of the environment variable "${visibleLine(name, 60)}" cannot hold NUL characters.`,
          value,
        );
      else {
        this.warnOfLostDigits(value);
        env.push([name, String(content)]);
      }
    }
    return Object.fromEntries(env);
  }

  private remote(type: RemoteDefinition['type'] | undefined): RemoteDefinition | undefined {
    const headers = this.headers();
    const url = this.url(type);
    if (url === undefined) return undefined;
    const caNode = this.node('caFile');
    const caFile: unknown = caNode?.value;
    // Other authorities than the ones that were meant are never trusted in their place.
    if (caNode && (typeof caFile !== 'string' || caFile.trim() === ''))
      this.fail(
        '"caFile" has to be a text, the path of a PEM file with the authorities to trust. Correct it, or remove it to trust the usual ones.',
        caNode,
      );
    const oauthNode = this.node('oauth');
    const oauth = oauthNode && readOAuth(oauthNode, (message, place) => void this.fail(message, place));
    return {
      type: type ?? (/^wss?:/i.test(url) ? 'ws' : 'auto'),
      url,
      headers,
      ...(oauth === undefined ? {} : { oauth }),
      ...(typeof caFile === 'string' && caFile !== '' ? { caFile } : {}),
    };
  }

  private url(type: RemoteDefinition['type'] | undefined): string | undefined {
    const node = this.node('url') ?? this.node('serverUrl');
    const command = this.fields.get('command');
    if (command && command.value.type !== 'null')
      this.report(
        'warning',
        `"command" is not used, because the type makes this a remote server. For a local server the type is "stdio".`,
        command.key,
      );
    if (!node) return this.fail('A remote server needs a "url".', this.fields.get('url')?.value ?? this.node('type'));
    const url: unknown = node.value;
    if (typeof url !== 'string') return this.fail('"url" has to be a text, the address of the server.', node);
    const problem = urlProblem(url, type);
    return problem === undefined ? url : this.fail(problem, node);
  }

  /** Without HTTP there is nothing to carry headers or a sign-in; fields for them are kept and reported. */
  private socket(): RemoteDefinition | undefined {
    for (const name of httpFields) {
      const key = this.has(name) && this.fields.get(name)?.key;
      if (key)
        this.report(
          'warning',
          `"${name}" is not used: a server of type "socket" is reached without HTTP. Remove it, or change the type to "http".`,
          key,
        );
    }
    const url = this.url('socket');
    return url === undefined ? undefined : { type: 'socket', url, headers: {} };
  }

  private headers(): Record<string, string> {
    const object = this.node('headers');
    if (!object) return {};
    if (object.type !== 'object') {
      this.fail('"headers" has to be an object of names and texts.', object);
      return {};
    }
    const headers: [string, string][] = [];
    const seen = new Set<string>();
    for (const { name, key, value } of this.distinct(object).values()) {
      const content: unknown = value.value;
      if (!headerName.test(name)) this.fail(`"${visibleLine(name, 60)}" is not a valid HTTP header.`, key);
      else if (typeof content !== 'string') this.fail(`The value of the header "${name}" has to be a text.`, value);
      else if (forbiddenInArguments.test(content))
        this.fail(
          `The value of "${name}" is not a valid HTTP header: it cannot hold line breaks or NUL characters.`,
          value,
        );
      else if (seen.has(name.toLowerCase()))
        this.fail(`The header "${name}" is written twice; upper and lower case are the same in headers.`, key);
      else headers.push([name, content]);
      seen.add(name.toLowerCase());
    }
    return Object.fromEntries(headers);
  }

  /** Fields that both kinds share, and what is kept though it is not used. */
  private common(used: ReadonlySet<string>): CommonDefinition {
    const protocol = this.protocol();
    const timeoutMs = this.milliseconds('timeoutMs') ?? this.foreignTimeout();
    const startTimeoutMs = this.milliseconds('startTimeoutMs');
    const maxMessagesPerSecond = this.rate();
    const restartOnCrash = this.flag('restartOnCrash');
    const disabledTools = this.disabledTools();
    const extra = [...this.fields].filter(([name]) => !used.has(name));
    return {
      ...(protocol === undefined ? {} : { protocol }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
      ...(maxMessagesPerSecond === undefined ? {} : { maxMessagesPerSecond }),
      ...(restartOnCrash === undefined ? {} : { restartOnCrash }),
      ...(disabledTools.length === 0 ? {} : { disabledTools }),
      ...(extra.length === 0
        ? {}
        : { extra: Object.fromEntries(extra.map(([name, { value }]) => [name, plainValue(value)])) }),
    };
  }

  private protocol(): ProtocolChoice | undefined {
    const node = this.node('protocol');
    const value: unknown = node?.value;
    if (value === 'auto' || value === 'legacy' || value === '2026-07-28') return value;
    if (node) this.report('warning', '"protocol" has to be auto, legacy or 2026-07-28; auto is used.', node);
    return undefined;
  }

  private framing(): StdioFraming | undefined {
    const node = this.node('framing');
    const value: unknown = node?.value;
    if (value === 'newline' || value === 'content-length') return value;
    if (node) this.report('warning', '"framing" has to be newline or content-length; newline is used.', node);
    return undefined;
  }

  private flag(name: 'restartOnCrash'): boolean | undefined {
    const node = this.node(name);
    if (!node) return undefined;
    if (typeof node.value === 'boolean') return node.value;
    this.report('warning', `"${name}" has to be true or false; what the setting says is used.`, node);
    return undefined;
  }

  /** What cannot be read was meant to switch something off: then every tool is off. */
  private disabledTools(): string[] {
    const list = this.node('disabledTools');
    if (!list) return [...this.fields.keys()].some((name) => this.meantBy(name) === 'disabledTools') ? ['*'] : [];
    const names = (list.type === 'array' ? (list.children ?? []) : [list]).map(({ value }) => value as unknown);
    if (list.type === 'array' && isStringArray(names)) return names;
    this.report('warning', '"disabledTools" has to be a list of names; every tool counts as disabled.', list);
    return ['*'];
  }

  private rate(): number | undefined {
    const node = this.node('maxMessagesPerSecond');
    if (!node) return undefined;
    if (isDuration(node.value)) return node.value;
    this.report('warning', '"maxMessagesPerSecond" has to be a number above zero; there is no limit.', node);
    return undefined;
  }

  private milliseconds(name: 'timeoutMs' | 'startTimeoutMs'): number | undefined {
    const node = this.node(name);
    if (!node) return undefined;
    if (isDuration(node.value)) return node.value;
    this.report('warning', `"${name}" has to be a number of milliseconds above zero; the default is used.`, node);
    return undefined;
  }

  /**
   * `timeout` of other hosts: Cline and Roo write seconds from 1 to 3600, Claude Code milliseconds. Above 3600 it can only
   * be milliseconds. `.mcp.json` is Claude Code's file, so there milliseconds begin at 1000: nobody lets a call wait for
   * 17 minutes, and nobody gives it less than a second.
   */
  private foreignTimeout(): number | undefined {
    const node = this.node('timeout');
    if (!node) return undefined;
    if (isDuration(node.value)) {
      const isSeconds = this.kind === 'portable' ? node.value < 1_000 : node.value <= 3_600;
      return isSeconds ? node.value * 1_000 : node.value;
    }
    this.report(
      'warning',
      '"timeout" has to be a number above zero; the default is used. "timeoutMs" says clearly that it is in milliseconds.',
      node,
    );
    return undefined;
  }

  /** Whoever wrote a wrong value tried to switch something off: it stays off. */
  private isDisabled(): boolean {
    const flags = [
      { name: 'disabled', off: true },
      { name: 'enabled', off: false },
    ];
    return flags.some(({ name, off }) => {
      const node = this.node(name);
      if (!node) return false;
      if (typeof node.value === 'boolean') return node.value === off;
      this.report('warning', `"${name}" has to be true or false; the server counts as disabled.`, node);
      return true;
    });
  }

  /** `dev` stays with what is only kept; who debugs and who watches files read it there. */
  private warnOfDev(): void {
    const node = this.node('dev');
    const dev: unknown = node && plainValue(node);
    for (const read of [readDevDebug(dev), readDevWatch(dev)])
      if (node && read && 'problem' in read) this.report('warning', read.problem, node);
  }

  private warnOfTypos(): void {
    for (const [name, { key }] of this.fields) {
      const meant = this.meantBy(name);
      if (meant === undefined) continue;
      const effect = meant === 'disabledTools' ? ' Until that is corrected, every tool counts as disabled.' : '';
      this.report(
        'warning',
        `"${visibleLine(name, 60)}" is not a field of a server. Did you mean "${meant}"?${effect}`,
        key,
      );
    }
  }

  /** The field that an unknown name is a slip of the pen for, where that one is not written. */
  private meantBy(name: string): string | undefined {
    if (localFields.has(name) || remoteFields.has(name)) return undefined;
    const spelled = name.toLowerCase().replace(/[_-]/g, '');
    const meant = plainSpelling.get(spelled) ?? (Object.hasOwn(typos, spelled) ? typos[spelled] : undefined);
    return meant === undefined || this.fields.has(meant) ? undefined : meant;
  }

  /** An account number written without quotes would arrive as another number. */
  private warnOfLostDigits(node: Node): void {
    if (node.type === 'number' && Number.isInteger(node.value) && !Number.isSafeInteger(node.value))
      this.report('warning', 'This number has too many digits to be kept exactly. Write it in quotes.', node);
  }
}

/** What the name of a type means, in the spelling of any host; undefined for an unknown one. */
export function serverTypeOf(value: unknown): 'stdio' | RemoteDefinition['type'] | undefined {
  return isTypeName(value) ? typeNames[value] : undefined;
}

function isTypeName(value: unknown): value is string {
  return typeof value === 'string' && Object.hasOwn(typeNames, value);
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

/**
 * What is wrong with an address as far as it can be seen before its variables are filled in; undefined when nothing
 * is.
 */
function urlProblem(url: string, type: RemoteDefinition['type'] | undefined): string | undefined {
  if (url.trim() === '') return 'A remote server needs a "url".';
  if (/[\u0000-\u001f\u007f-\u009f]/.test(url)) return 'The "url" cannot hold line breaks or other control characters.';
  // A url may be a variable as a whole; then its scheme is known only when it starts.
  if (url.startsWith('${')) return undefined;
  const scheme = /^(https?|wss?|unix|pipe):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'The "url" has to begin with https:, http:, wss:, ws:, unix: or pipe:.';
  const isSocketPath = scheme === 'unix' || scheme === 'pipe';
  if (isSocketPath && !/^[a-z]+:\/\/\/[^#?]/i.test(url))
    return `A ${scheme}: "url" needs three slashes and a path, for example ${scheme === 'unix' ? 'unix:///run/server.sock#/mcp' : 'pipe:///name'}.`;
  if (type === 'ws' && !scheme.startsWith('ws'))
    return 'A server of type "ws" needs a "url" that begins with wss: or ws:.';
  if (type === 'socket' && !isSocketPath)
    return 'A server of type "socket" needs a "url" that begins with unix:/// or pipe:///.';
  // A query or fragment is a path of HTTP; whoever writes one expects HTTP to be spoken.
  if (type === 'socket' && /[?#]/.test(url))
    return 'A server of type "socket" has no path behind # or ?. Remove it, or change the type to "http".';
  if (isSocketPath || url.includes('${')) return undefined;
  if (!/^[a-z]+:\/\/[^/]/i.test(url) || !URL.canParse(url))
    return 'The "url" is not a complete address, for example https://example.com/mcp.';
  if (!url.includes('@')) return undefined;
  const { username, password } = new URL(url);
  return username === '' && password === ''
    ? undefined
    : 'The "url" cannot hold a user name or password. Put them into "headers".';
}
