import { t } from '@vscode/l10n';
import { exactText } from '../../base/exactText.js';
import { isObject } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import { writtenValue } from '../../config/writtenValue.js';
import type { PortableServer } from '../../interchange/portableServer.js';
import { withOpenValues, withPlainSecrets } from '../../interchange/pasted/openValues.js';
import type { PastedServers } from '../../interchange/pasted/readPasted.js';

/** Maximum number of servers that are named; the others are only counted. */
const maxNamed = 6;

/** Summarizes a pasted text: `2 servers: memory (npx), github (http, needs GITHUB_TOKEN)`. */
export function pastedText({ servers, inputs, unusable }: PastedServers): string {
  const named = servers.slice(0, maxNamed).map((server) => {
    const { needs } = withOpenValues(server, inputs);
    const facts = [
      kindText(server),
      ...(needs.length === 0 ? [] : [t('needs {0}', needs.map((name) => visibleLine(name, 40)).join(', '))]),
    ];
    return `${visibleLine(server.name, 40)} (${facts.join(', ')})`;
  });
  if (servers.length > maxNamed) named.push('…');
  const list = named.join(', ');
  return [
    servers.length === 1 ? t('1 server: {0}', list) : t('{0} servers: {1}', servers.length, list),
    ...unusable
      .slice(0, 2)
      .map(({ name, reason }) => t('"{0}" cannot be used: {1}', visibleLine(name, 40), visibleLine(reason, 120))),
  ].join('. ');
}

/** The program of a local server, or the transport of a remote one. */
export function kindText({ fields }: PortableServer): string {
  const { command, type } = fields;
  if (typeof command !== 'string') return typeof type === 'string' ? type : 'http';
  return visibleLine(command.split(/[\\/]/).at(-1) ?? command, 30);
}

/** Maximum length of a text that is shown below an input box, in UTF-16 code units. */
const maxStartText = 600;

/**
 * The server that *Run Command…* and *Connect to URL…* start, as input for `startText`: missing values are references
 * to inputs, and the variables of a container are in `env`.
 */
export function scratchServerOf(server: PortableServer, { inputs }: Pick<PastedServers, 'inputs'>): PortableServer {
  return withPlainSecrets(withOpenValues(server, inputs)).server;
}

/** Describes what Enter starts, and states that MCP Deck asks before the start and shows everything. */
export function startText(server: PortableServer): string {
  const whole = wholeStartText(server);
  const start = whole.length > maxStartText ? `${whole.slice(0, maxStartText)}…` : whole;
  return t('{0}. Before the server starts, MCP Deck asks you and shows everything that it runs and sends.', start);
}

function wholeStartText({ fields }: PortableServer): string {
  const { command, args, url, env, headers, cwd } = fields;
  const sets = namesText(typeof url === 'string' ? headers : env);
  if (typeof url === 'string')
    return sets === ''
      ? t('Press Enter to connect to {0}', exactText(url))
      : t('Press Enter to connect to {0} and send {1}', exactText(url), sets);
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].filter(
    (word) => typeof word === 'string',
  );
  const line = words.map((word) => exactText(/\s|^$/.test(word) ? JSON.stringify(word) : word)).join(' ');
  const where = typeof cwd === 'string' ? ` (${exactText(cwd)})` : '';
  return sets === ''
    ? t('Press Enter to run {0}', line + where)
    : t('Press Enter to run {0} and set {1}', line + where, sets);
}

function namesText(values: unknown): string {
  return isObject(values)
    ? Object.entries(values)
        .map(([name, value]) => writtenValue(name, '=', typeof value === 'string' ? value : String(value)))
        .join(', ')
    : '';
}
