import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';
import { readTraceFile, traceLines, writeTraceFile } from '../../../src/core/trace/traceFile.js';
import { TraceLog } from '../../../src/core/trace/traceLog.js';
import { TraceRecorder } from '../../../src/core/trace/traceRecorder.js';

const folder = mkdtempSync(path.join(tmpdir(), 'deck-trace-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function fileWith(content: string | Buffer): string {
  const file = path.join(folder, `${files++}.jsonl`);
  writeFileSync(file, content);
  return file;
}

function entriesOf(log: TraceLog): unknown[] {
  return Array.from({ length: log.end - log.first }, (_, index) => {
    const entry = log.get(log.first + index);
    return (
      entry && {
        kind: entry.kind,
        direction: entry.direction,
        id: entry.id,
        method: entry.method,
        pair: entry.pair,
        text: entry.text,
        cut: entry.cut,
        headers: entry.headers,
      }
    );
  });
}

test('a written trace is read back unchanged', async () => {
  const log = new TraceLog({ maxTextLength: 400 });
  const tap = new TraceRecorder(log);
  tap.opened('http');
  tap.sent('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}', { 'mcp-method': 'tools/call' });
  tap.received({ jsonrpc: '2.0', id: 1, result: {} }, '{"jsonrpc":"2.0","id":1,"result":{}}');
  tap.unreadable('Listening\non port 3000');
  const long = { jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: { text: 'x'.repeat(2_000) } };
  tap.received(long, JSON.stringify(long));
  tap.closed('It ended.');
  const file = path.join(folder, 'whole.jsonl');
  await writeTraceFile(file, traceLines(log, 'server', []));
  const reading = await readTraceFile(file);
  assert.deepEqual(
    { entries: entriesOf(reading.log), server: reading.server, bad: reading.badLines },
    { entries: entriesOf(log), server: 'server', bad: 0 },
  );
});

test('every line of a file is JSON, with the message as JSON in it', () => {
  const log = new TraceLog();
  new TraceRecorder(log).sent('{"jsonrpc":"2.0","id":1,"method":"ping"}', {});
  const lines = [...traceLines(log, 's', [])].map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ format, direction, message }) => ({ format, direction, message })),
    [
      { format: 'mcp-deck-trace', direction: undefined, message: undefined },
      { format: undefined, direction: 'sent', message: { jsonrpc: '2.0', id: 1, method: 'ping' } },
    ],
  );
});

test('property: no known secret appears in an export, in any form [S2]', () => {
  const secrets = ['s3cr3t-value', 'with "quotes" and \\', 'line\nbreak', 'ünïcödé-key', '4242424242', 'abcabcabd'];
  const log = new TraceLog({ maxTextLength: 120 });
  const tap = new TraceRecorder(log);
  const carriers = (secret: string): string[] => {
    const unicode = [...secret]
      .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
    const written = JSON.stringify(secret);
    return [
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":${written},${written}:[${written}]}}`,
      `{"jsonrpc":"2.0","id":${written},"result":{"text":"before ${unicode} after"}}`,
      `{"jsonrpc":"2.0","method":${written}}`,
      `no JSON ${secret}`,
      `{"jsonrpc":"2.0","id":3,"result":"${unicode}${unicode}`,
      ...Array.from(
        { length: 70 },
        (_, pad) =>
          `{"jsonrpc":"2.0","id":2,"result":{"t":"${'x'.repeat(pad + 30)}${written.slice(1, -1)}${'y'.repeat(200)}"}}`,
      ),
    ];
  };
  for (const secret of secrets) {
    for (const text of carriers(secret)) {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        tap.unreadable(text);
        continue;
      }
      tap.received(value, text);
      tap.sent(text, { 'mcp-name': secret, 'mcp-session-id': 'the-session', authorization: 'Bearer other' });
    }
    tap.closed(`It said ${secret}.`);
  }
  const texts = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, inner]) => [name, ...texts(inner)])
        : [String(value)];
  for (const line of traceLines(log, 's', secrets)) {
    const contents = [line, ...texts(JSON.parse(line))];
    for (const secret of [...secrets, 'the-session', 'Bearer other']) {
      assert.deepEqual(
        contents.filter((text) => text.includes(secret)),
        [],
      );
      // A cut must not leave most of a secret either.
      assert.deepEqual(
        contents.filter((text) => text.includes(secret.slice(0, -1)) && secret.length > 6),
        [],
      );
    }
  }
});

test('members and headers that are named like secrets are masked even if the values are unknown [S2]', () => {
  const log = new TraceLog();
  const tap = new TraceRecorder(log);
  const text =
    '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"arguments":{"password":"hunter2","deep":[{"Authorization":"Bearer abc","api_key":"k"}],"name":"kept"}}}';
  tap.sent(text, { 'Mcp-Session-Id': 'id' });
  const [, line = ''] = traceLines(log, 's', []);
  const { message, headers } = JSON.parse(line) as { message: { params: unknown }; headers: unknown };
  assert.deepEqual(
    { params: message.params, headers },
    {
      params: { arguments: { password: '•••', deep: [{ Authorization: '•••', api_key: '•••' }], name: 'kept' } },
      headers: { 'Mcp-Session-Id': '•••' },
    },
  );
});

test('an invalid file is reported', async () => {
  for (const content of [
    '',
    '\n\n\n',
    'hello\nworld\n',
    '{"a":1}\n',
    '[[[[',
    Buffer.from([0, 255, 254, 10, 200]),
    `${'['.repeat(200_000)}\n`,
  ]) {
    await assert.rejects(
      readTraceFile(fileWith(content)),
      (error) => error instanceof HostError && error.code === 'invalid-message',
    );
  }
});

test('invalid lines between valid ones are shown as invalid', async () => {
  const good = JSON.stringify({
    time: '2026-01-01T00:00:00.000Z',
    direction: 'sent',
    message: { jsonrpc: '2.0', id: 1, method: 'ping' },
  });
  const lines = [
    good,
    'garbage',
    '{"direction":"sideways","message":{}}',
    '{"direction":"sent","message":{"__proto__":{"x":1}}}',
    '{"direction":"received","headers":{"a":5},"text":"<script>alert(1)</script>"}',
    good,
  ];
  const { log, badLines, firstBadLine } = await readTraceFile(fileWith(`${lines.join('\r\n')}\r\n`));
  assert.deepEqual([badLines, firstBadLine, log.get(1)?.fileLine, log.get(2)?.fileLine], [2, 2, 2, 3]);
  assert.deepEqual(
    Array.from({ length: log.end }, (_, seq) => log.get(seq)?.kind),
    ['request', 'invalid', 'invalid', 'invalid', 'invalid', 'request'],
  );
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('a plain log of messages can be read too', async () => {
  const { log } = await readTraceFile(
    fileWith('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","method":"notifications/x"}'),
  );
  assert.deepEqual([log.get(0)?.kind, log.get(1)?.method], ['request', 'notifications/x']);
});

test('a line of many megabytes is truncated', async () => {
  const good = JSON.stringify({ direction: 'sent', message: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  const { log, badLines } = await readTraceFile(fileWith(`${good}\n${'x'.repeat(5 << 20)}\n${good}\n`));
  assert.equal(badLines, 1);
  assert.ok((log.get(1)?.text.length ?? 0) <= 64 << 10);
  assert.equal(log.get(2)?.kind, 'request');
});

test('a link beside the file is not followed', async () => {
  const outside = path.join(folder, 'outside');
  const file = path.join(folder, 'linked.jsonl');
  writeFileSync(outside, 'kept');
  symlinkSync(outside, `${file}.${process.pid}.tmp`);
  await writeTraceFile(file, ['{}']);
  assert.deepEqual([readFileSync(outside, 'utf8'), readFileSync(file, 'utf8')], ['kept', '{}\n']);
});

test('a failed write keeps the existing file', async () => {
  const file = fileWith('before');
  function* failing(): Generator<string> {
    yield 'one';
    throw new Error('no more');
  }
  await assert.rejects(writeTraceFile(file, failing()), /no more/);
  assert.equal(readFileSync(file, 'utf8'), 'before');
});
