import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { StdioTransport } from '../../../src/core/transport/stdio/stdioTransport.js';
import { ManualClock } from '../../support/manualClock.js';
import { stdioOf } from '../../support/interopProcess.js';
import { until } from '../../support/httpUntil.js';

/** Answers `initialize` and the era probe correctly, but encodes its messages with `encode`. */
const server = (encode: string) => `
  let rest = '';
  process.stdin.on('end', () => process.exit());
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, method } = JSON.parse(line);
      if (id === undefined) continue;
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'odd', version: '1' } };
      const answer = { jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } }) };
      process.stdout.write(${encode});
    }
  });`;

const cases: { name: string; encode: string; hint: RegExp }[] = [
  {
    name: '[F5] JSON over several lines',
    encode: "JSON.stringify(answer, null, 2) + '\\n'",
    hint: /over several lines/,
  },
  {
    name: '[F5] UTF-16',
    encode: "Buffer.from('\\ufeff' + JSON.stringify(answer) + '\\n', 'utf16le')",
    hint: /not UTF-8/,
  },
  {
    name: '[F5] UTF-16 without a byte order mark',
    encode: "Buffer.from(JSON.stringify(answer) + '\\n', 'utf16le')",
    hint: /not UTF-8/,
  },
];

for (const { name, encode, hint } of cases) {
  test(`${name} is recognized while the handshake still waits`, async () => {
    const warnings: string[] = [];
    const abort = new AbortController();
    const opening = McpSession.open(() => stdioOf(['-e', server(encode)]), {
      client: { name: 'test', version: '1' },
      listener: { onWarning: (line) => void warnings.push(line) },
      signal: abort.signal,
    });
    const ended = assert.rejects(opening, /seen enough/);
    try {
      await until(() => warnings.length > 0);
    } finally {
      abort.abort(new Error('seen enough'));
    }
    await ended;
    assert.match(warnings[0] ?? '', hint);
  });
}

test('[F5, old.spellings] Content-Length headers are recognized, reported, and used in return', async () => {
  const framed = server(
    "'Content-Length: ' + Buffer.byteLength(JSON.stringify(answer)) + '\\r\\n\\r\\n' + JSON.stringify(answer)",
  ).replace(
    'const { id, method } = JSON.parse(line);',
    "const at = line.indexOf('{'); if (at === -1) continue; const { id, method } = JSON.parse(line.slice(at));",
  );
  // The last body has no line end. Counting braces is enough here, because the texts contain none.
  const script = framed.replace(
    'rest = lines.pop();',
    "rest = lines.pop(); if (rest.startsWith('{') && rest.endsWith('}')) { lines.push(rest); rest = ''; }",
  );
  const warnings: string[] = [];
  const session = await McpSession.open(() => stdioOf(['-e', script]), {
    client: { name: 'test', version: '1' },
    listener: { onWarning: (line) => void warnings.push(line) },
  });
  assert.equal(session.identity.info.name, 'odd');
  await session.close();
  assert.match(warnings[0] ?? '', /Content-Length/);
});

const framed = 'test/fixtures/servers/framed.mjs';

test('[F5, old.spellings] a server that reads only Content-Length headers is reached only with the field for it', async () => {
  const warnings: string[] = [];
  const client = { name: 'test', version: '1' };
  const session = await McpSession.open(() => stdioOf([framed, 'content-length'], {}, 'content-length'), {
    client,
    listener: { onWarning: (line) => void warnings.push(line) },
  });
  assert.deepEqual([session.identity.info.name, (await session.listTools()).items.length], ['framed', 1]);
  await session.close();
  assert.ok(!warnings.some((line) => line.includes('Content-Length')), 'no warning about Content-Length');
  await assert.rejects(
    McpSession.open(() => stdioOf([framed, 'content-length']), { client, protocol: 'legacy', startTimeoutMs: 1_000 }),
    (error: HostError) => error.code === 'timeout' && error.data['wroteNothing'] === true,
  );
});

test('[P5, F5] a process that wrote nothing until its start timed out is ended without the grace periods of a running server', async () => {
  const clock = new ManualClock();
  const transport = new StdioTransport({
    command: process.execPath,
    args: [path.resolve(framed), 'stubborn'],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: process.cwd(),
    graceMs: 1e9,
    clock,
  });
  let isReady = false;
  const opening = McpSession.open(() => transport, {
    client: { name: 'test', version: '1' },
    protocol: 'legacy',
    startTimeoutMs: 10_000,
    clock,
    listener: { onStderr: () => (isReady = true) },
  });
  let failure: HostError | undefined;
  const ended = opening.catch((error: unknown) => (failure = error as HostError));
  await until(() => isReady);
  await clock.advance(10_500);
  // Both grace periods pass: after the end of its input, and after SIGTERM.
  const passing = setInterval(() => void clock.advance(100), 5);
  try {
    await until(() => failure !== undefined);
  } finally {
    clearInterval(passing);
  }
  await ended;
  assert.deepEqual([failure?.code, clock.now() < 1e6], ['timeout', true]);
});
