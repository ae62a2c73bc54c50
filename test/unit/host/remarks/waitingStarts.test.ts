/** Known causes of a start that does not end are shown while it waits, for every kind of misbehavior. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Remark, RemarkKind } from '../../../../src/core/base/remark.js';
import type { HostError } from '../../../../src/core/base/hostError.js';
import { failureLine } from '../../../../src/core/present/failure/failureText.js';
import { serverNode } from '../../../../src/core/present/tree/serverNodes.js';
import { summarizeServer } from '../../../../src/core/present/server/serverSummary.js';
import { drawNodes } from '../../../../src/core/present/tree/treeNode.js';
import type { HeadlessHost } from '../../../support/headlessHost.js';
import { headlessHost } from '../../../support/headlessHost.js';
import { fastClock } from '../../../support/fastClock.js';

/** Answers every request as `answer(message)` defines; runs until its input ends. */
const answering = (answer: string) =>
  `let rest = ''; process.stdin.on('data', (chunk) => { rest += chunk; const lines = rest.split('\\n'); rest = lines.pop(); for (const line of lines) { const message = JSON.parse(line); if (message.id !== undefined) (${answer})(message); } });`;
const result = `{ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }`;
const silent = `process.stdin.resume();`;

interface Case {
  name: string;
  script: string;
  kind: RemarkKind;
  /** Text contained in the remark. */
  quote?: RegExp;
}

const cases: Case[] = [
  {
    name: 'text-ids',
    script: answering(`({ id }) => console.log(JSON.stringify({ jsonrpc: '2.0', id: String(id), result: ${result} }))`),
    kind: 'answer-id',
    quote: /"id":"\d+"/,
  },
  {
    name: 'null-ids',
    script: answering(
      `() => console.log(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'cannot parse' } }))`,
    ),
    kind: 'answer-id',
    quote: /cannot parse/,
  },
  {
    name: 'no-jsonrpc',
    script: answering(`({ id }) => console.log(JSON.stringify({ id, result: ${result} }))`),
    kind: 'not-json-rpc',
    quote: /"id":\d+/,
  },
  {
    name: 'npx-prompt',
    script: `process.stdout.write('Need to install the following packages:\\nsome-server\\nOk to proceed? (y) '); ${silent}`,
    kind: 'prompt',
    quote: /^Ok to proceed\? \(y\)$/,
  },
  {
    name: 'question-on-stderr',
    script: `process.stderr.write('Which profile do you want to use?'); ${silent}`,
    kind: 'prompt',
    quote: /Which profile/,
  },
  {
    name: 'login-hint',
    script: `console.error('You are not logged in. Run "tool login" first.'); ${silent}`,
    kind: 'login',
    quote: /tool login/,
  },
  {
    name: 'missing-key',
    script: `console.error('waiting: API key is required'); ${silent}`,
    kind: 'login',
    quote: /API key/,
  },
  { name: 'menu', script: `console.log('1) start  2) stop'); ${silent}`, kind: 'stray-output', quote: /^1\) start/ },
  {
    name: 'prefixed',
    script: answering(`({ id }) => console.log('INFO ' + JSON.stringify({ jsonrpc: '2.0', id, result: ${result} }))`),
    kind: 'mixed-line',
    quote: /^INFO /,
  },
  {
    name: 'pretty',
    script: answering(`({ id }) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result: ${result} }, null, 2))`),
    kind: 'split-json',
  },
  {
    name: 'utf16',
    script: answering(
      `({ id }) => process.stdout.write(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: ${result} }) + '\\n', 'utf16le'))`,
    ),
    kind: 'encoding',
  },
];

const web = createServer((request, response) => {
  response.writeHead(request.method === 'GET' ? 200 : 405, { 'content-type': 'text/event-stream' });
  if (request.url === '/plain') response.write('data: /messages?session=1\n\n');
  else if (request.url === '/renamed') response.write('event: address\ndata: /messages\n\n');
  else response.flushHeaders();
});
let headless: HeadlessHost;
const shownRemarks = new Map<string, { remark: Remark; answer: (answer: 'stop' | 'keep' | undefined) => void }>();
let onShown = () => undefined as void;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => (onShown = resolve));
}

const net: Case[] = [
  { name: 'sse-plain', script: '/plain', kind: 'no-endpoint', quote: /messages\?session/ },
  { name: 'sse-renamed', script: '/renamed', kind: 'no-endpoint', quote: /address: \/messages/ },
  { name: 'sse-mute', script: '/mute', kind: 'no-endpoint' },
];

before(async () => {
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const local = cases.map(({ name, script }) => [name, { command: process.execPath, args: ['-e', script] }] as const);
  const remote = net.map(
    ({ name, script }) => [name, { type: 'sse', url: `http://127.0.0.1:${port}${script}` }] as const,
  );
  headless = headlessHost({
    servers: Object.fromEntries([
      ...local,
      ...remote,
      ['quiet', { command: process.execPath, args: ['-e', `console.log('menu'); ${silent}`] }],
      ['impatient', { command: process.execPath, args: ['-e', cases[0]?.script ?? ''], startTimeoutMs: 20_000 }],
    ]),
    settings: { startTimeoutMs: 6_000_000 },
    clock: fastClock(10),
    ports: {
      startNotices: {
        tell: (entry, remark) =>
          new Promise((answer) => {
            shownRemarks.set(entry.id, { remark, answer });
            onShown();
          }),
      },
    },
  });
  await headless.host.open();
});
after(async () => {
  await headless.host.close();
  web.closeAllConnections();
  web.close();
});

describe('a start that the user waits for', () => {
  for (const { name, kind, quote } of [...cases, ...net]) {
    test(
      `[K5]${kind === 'mixed-line' ? ' [K6]' : ''} of the server "${name}" is shown as waiting for a known cause (${kind}), and Stop ends it`,
      { timeout: 20_000 },
      async () => {
        const { host } = headless;
        const starting = host.lifecycle.start(name, { interactive: true }).then(
          () => 'started',
          (error: HostError) => error.code,
        );
        const early = await Promise.race([starting, until(() => shownRemarks.get(name)?.remark.kind === kind)]);
        assert.equal(early, undefined);
        const notice = shownRemarks.get(name);
        assert.match(notice?.remark.quote ?? '', quote ?? /^/);
        const view = host.servers.get(name);
        assert.ok(view?.state.kind === 'starting' && view.state.remark?.kind === kind);
        const node = serverNode(view, Date.now());
        assert.match(node.description ?? '', /^starting, .* · /);
        if (quote)
          assert.match(
            drawNodes([node]),
            quote.source.startsWith('^') ? new RegExp(quote.source.replace(/^\^|\$$/g, '')) : quote,
          );
        assert.match(summarizeServer(view).reason ?? '', /^The server /);
        notice?.answer('stop');
        assert.equal(await starting, 'cancelled');
        await host.lifecycle.stop(name);
        assert.equal(host.servers.get(name)?.state.kind, 'stopped');
      },
    );
  }

  test(
    '[K5] continues after Keep Waiting until its timeout, and the failure names the cause instead of a busy server',
    { timeout: 20_000 },
    async () => {
      const starting = headless.host.lifecycle.start('impatient', { interactive: true });
      await Promise.all([
        until(() => shownRemarks.has('impatient')).then(() => shownRemarks.get('impatient')?.answer('keep')),
        assert.rejects(starting, (error: HostError) => {
          assert.equal(error.code, 'timeout');
          const line = failureLine(error, 'impatient');
          assert.match(
            line,
            /did not respond to initialize within 20 s\. The server answers with an ID that matches no open request, or that has another type: .*"id":"\d+"/,
          );
          assert.doesNotMatch(line, /busy/);
          return true;
        }),
      ]);
    },
  );
});

test(
  '[K5] an automatic start shows the cause in the state of its server without a notification',
  { timeout: 20_000 },
  async () => {
    const { host } = headless;
    const starting = host.lifecycle.start('quiet', { interactive: false }).catch((error: HostError) => error.code);
    const isNoticed = () => {
      const state = host.servers.get('quiet')?.state;
      return state?.kind === 'starting' && state.remark?.kind === 'stray-output';
    };
    while (!isNoticed()) await new Promise<void>((resolve) => host.servers.onDidChange(() => resolve()));
    assert.equal(shownRemarks.has('quiet'), false);
    // The user joins the running start, so it is now a start that the user waits for.
    const joined = host.lifecycle.start('quiet', { interactive: true }).catch((error: HostError) => error.code);
    await until(() => shownRemarks.has('quiet'));
    shownRemarks.get('quiet')?.answer('stop');
    assert.deepEqual(await Promise.all([starting, joined]), ['cancelled', 'cancelled']);
  },
);

test(
  '[K1] a server of the older transport whose endpoint cannot be used is reported with that cause, also if the transport was not configured',
  { timeout: 20_000 },
  async () => {
    const old = createServer((request, response) => {
      if (request.method !== 'GET') response.writeHead(405).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write('event: endpoint\ndata: https://elsewhere.example/messages\n\n');
    });
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    const { host } = headlessHost({
      servers: { old: { url: `http://127.0.0.1:${(old.address() as AddressInfo).port}/sse` } },
    });
    await host.open();
    try {
      await assert.rejects(host.lifecycle.start('old'), (error: HostError) => {
        assert.match(failureLine(error, 'old'), /"endpoint" event .* cannot be used: it leads to another origin/);
        return true;
      });
    } finally {
      await host.close();
      old.closeAllConnections();
      old.close();
    }
  },
);
