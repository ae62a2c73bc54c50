import type { HostileCase } from './hostileTable.js';
import { impatient } from './hostileTable.js';
import { earlyRequests, framingCases, requestCases } from './stdioCases.js';

/** Messages of a successful session over a raw socket; CONNECT is a connection. */
const usual = {
  CONNECT: 1,
  'server/discover': 1,
  initialize: 1,
  'notifications/initialized': 1,
  'tools/list': 1,
  'tools/call': 1,
};
const span = String.raw`[\d.]+ m?s`;
const restart = 'Restart the server. Its log might show why it ended.';

const line = (mode: string, proves: string, says: string | RegExp, more: Partial<HostileCase> = {}): HostileCase => ({
  mode,
  proves,
  says,
  tree: `(circle-filled) ${mode}  socket · 2 tools`,
  journal: usual,
  ...more,
});

/** Cases about messages over standard streams also apply to a socket. */
const messageCases = [...framingCases, ...requestCases].map((shared): HostileCase => {
  // The connection is reused if the server answered the probe correctly.
  const over = shared.mode === 'early-requests' ? earlyRequests(1) : shared;
  const mode = `line-${over.mode}`;
  const says = renamed(over.says, over.mode, mode);
  const tree = renamed(over.tree, over.mode, mode);
  const journal = { CONNECT: 1, ...over.journal };
  // Without stderr cases; the hint names the socket.
  if (over.mode === 'banner') return { ...over, mode, says, tree, journal, check: ({ log }) => checkHint(log()) };
  return { ...over, mode, says, tree, journal };
});

function renamed(text: string | RegExp, from: string, to: string): string | RegExp {
  const change = (source: string) => source.replaceAll(from, to).replace('  stdio ·', '  socket ·');
  return typeof text === 'string' ? change(text) : new RegExp(change(text.source), text.flags);
}

function checkHint(log: readonly string[]): void {
  const hints = log.filter((text) => text.includes('The server writes text to its socket that is not MCP'));
  if (hints.length !== 1) throw new Error(`${hints.length} hints instead of one:\n${log.join('\n')}`);
}

export const lineCases: HostileCase[] = [
  ...messageCases,
  ...['line-cut', 'line-half-message'].map((mode) =>
    line(mode, '[U1]', `The server "${mode}" closed the connection. ${restart}`, {
      tree: `(error) ${mode}  closed the connection`,
    }),
  ),
  line('line-last-words', '[U1]', 'last words', { tree: /^\(error\) line-last-words {2}closed the connection$/ }),
  line(
    'line-http',
    '[U1, Y2]',
    /^The server "line-http": unix:\/\/\S+ uses HTTP, not JSON lines: HTTP\/1\.1 400 Bad Request\. Change the "type" of the server to "http"\.$/,
    {
      tree: /^\(error\) line-http {2}unix:\/\/\S+ uses HTTP, not JSON lines/,
      // Once for the era probe and once without it.
      journal: { CONNECT: 2 },
    },
  ),
  line('line-flap', '[U2]', `The server "line-flap" closed the connection. ${restart}`, {
    tree: '(error) line-flap  closed the connection',
    journal: { CONNECT: 2 },
  }),
  line(
    'line-deaf',
    '[U1, R1]',
    new RegExp(
      `^The server "line-deaf" did not respond to initialize within ${span}\\. The server might be busy or stuck\\. Check its log, or increase its timeout\\.$`,
    ),
    {
      definition: impatient,
      tree: new RegExp(`^\\(error\\) line-deaf {2}no response within ${span}$`),
      journal: { CONNECT: 1 },
    },
  ),
  line('line-holds-open', '[U1]', 'done'),
];
