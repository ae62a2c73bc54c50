/** The commands record, mock and compare of the command line. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';
import { httpAddress, startCli } from '../../support/sdkSession.js';
import { recordedHead } from '../../support/recordedHead.js';

const typed = ['--command', `"${process.execPath}" "${counter}"`];
const file = 'counter.mcprecording.jsonl';

/** A folder with a recording of these calls. */
async function recorded(t: TestContext, era: string, ...calls: string[]): Promise<{ folder: string; lines: any[] }> {
  const folder = folderWith(t, {});
  const args = ['record', ...typed, '--protocol', era, file, ...calls.flatMap((call) => ['--call', call])];
  const { code, stderr } = await runCli(args, { folder });
  assert.match(stderr, /Recorded \d+ requests of server to /);
  assert.equal(code, 0);
  const text = readFileSync(path.join(folder, file), 'utf8');
  return {
    folder,
    lines: text
      .trim()
      .split('\n')
      .map((line): any => JSON.parse(line)),
  };
}

for (const era of ['legacy', '2026-07-28']) {
  test(`record stores calls of a ${era} server, and compare finds no difference and then the changed answer`, async (t) => {
    const { folder, lines } = await recorded(t, era, 'add {"a": 2, "b": 3}', 'slow {"steps": 2}', 'find {"id": "x"}');
    const [head, ...requests] = lines;
    assert.deepEqual(
      [head.version, head.era, head.transport, head.info.name],
      [1, era === 'legacy' ? 'legacy' : 'modern', 'stdio', 'counter'],
    );
    const slow = requests.find(({ params }) => params?.name === 'slow');
    assert.deepEqual(
      slow.during.flatMap(({ progress }: any) => progress ?? []),
      [
        { progress: 1, total: 2 },
        { progress: 2, total: 2 },
      ],
    );
    const compare = ['compare', ...typed, '--protocol', era, file];
    const refused = await runCli(compare, { folder });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /calls tools of "server", which can change something:\n {2}add \(1\)\n {2}slow \(1\)/);
    assert.match(refused.stderr, /No request was sent.*add --yes/);
    const same = await runCli([...compare, '--yes'], { folder });
    assert.equal(same.code, 0, same.stdout);
    const changed = requests.map((line) =>
      line.params?.name === 'add' ? { ...line, result: { ...line.result, structuredContent: { sum: 6 } } } : line,
    );
    writeFileSync(path.join(folder, file), [head, ...changed].map((line) => JSON.stringify(line)).join('\n'));
    const other = await runCli([...compare, '--yes'], { folder });
    assert.equal(other.code, 1);
    assert.match(
      other.stdout,
      /✗ tools\/call "add" with .*\n {4}\/result\/structuredContent\/sum\n {6}recorded: 6\n {6}now: {6}5/,
    );
    const json = JSON.parse((await runCli([...compare, '--yes', '--json'], { folder })).stdout);
    assert.deepEqual(
      [json.ok, json.differences[0].differences],
      [false, [{ path: '/result/structuredContent/sum', expected: 6, actual: 5 }]],
    );
  });
}

test('a mock is used like any other server', async (t) => {
  const { folder } = await recorded(t, 'legacy', 'add {"a": 2, "b": 3}');
  const mock = ['--command', `"${process.execPath}" "${path.resolve('dist/cli.mjs')}" mock ${file}`];
  const call = await runCli(['call', ...mock, 'add', '{"b": 3, "a": 2}'], { folder });
  assert.deepEqual([call.code, call.stdout], [0, 'The sum is 5.\n']);
  const unknown = await runCli(['call', ...mock, 'add', '{"a": 2, "b": 4}'], { folder });
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /nearest recorded request is tools\/call "add" with \{"a":2,"b":3\}, which differs at/);
});

for (const [transport, eras] of [
  ['http', ['auto', 'legacy', '2026-07-28']],
  ['ws', ['auto', 'legacy', '2026-07-28']],
  ['sse', ['auto', 'legacy']],
] as const) {
  test(`a mock over ${transport} is used by our own client in ${eras.length === 3 ? 'both eras' : 'the legacy era'}`, async (t) => {
    const { folder } = await recorded(t, '2026-07-28', 'add {"a": 2, "b": 3}');
    const mock = startCli(t, ['mock', file, '--transport', transport, '--token', 'right'], folder);
    const { url, token } = await httpAddress(mock);
    assert.match(url, transport === 'ws' ? /^ws:\/\/127\.0\.0\.1:\d+\/mcp$/ : /^http:\/\/127\.0\.0\.1:\d+\/(mcp|sse)$/);
    const call = (bearer: string, era: string) =>
      runCli(
        [
          'call',
          `--url=${url}`,
          '--header',
          `Authorization: Bearer ${bearer}`,
          '--protocol',
          era,
          'add',
          '{"a":2,"b":3}',
        ],
        { folder },
      );
    for (const era of eras) {
      const { code, stdout, stderr } = await call(token, era);
      assert.deepEqual([code, stdout], [0, 'The sum is 5.\n'], era + stderr);
    }
    const { code, stderr } = await call('wrong', 'auto');
    assert.deepEqual([code, /\(401\)/.test(stderr)], [2, true], stderr);
    if (transport === 'sse')
      assert.match(
        (await call(token, '2026-07-28')).stderr,
        /has only HTTP\+SSE, for protocol versions up to 2025-11-25/,
      );
  });
}

test('record serves clients over HTTP+SSE and WebSocket', async (t) => {
  for (const transport of ['sse', 'ws']) {
    const folder = folderWith(t, {});
    const recorder = startCli(t, ['record', ...typed, file, '--transport', transport], folder);
    const { url, token } = await httpAddress(recorder);
    const header = ['--header', `Authorization: Bearer ${token}`];
    const { stdout, stderr } = await runCli(['call', `--url=${url}`, ...header, 'add', '{"a":2,"b":3}'], { folder });
    assert.equal(stdout, 'The sum is 5.\n', stderr);
    recorder.child.kill('SIGTERM');
    await once(recorder.child, 'close');
    assert.match(readFileSync(path.join(folder, file), 'utf8'), /"The sum is 5\."/, recorder.stderr());
  }
});

test('secrets in arguments are not in the recording, and a secret that was added is refused', async (t) => {
  const { folder, lines } = await recorded(t, 'legacy', 'find {"id": "x", "password": "hunter2-hunter2"}');
  const find = lines.find(({ params }) => params?.name === 'find');
  assert.deepEqual(
    [find.params.arguments, find.redacted],
    [{ id: 'x', password: '•••' }, ['/params/arguments/password']],
  );
  const text = readFileSync(path.join(folder, file), 'utf8');
  assert.doesNotMatch(text, /hunter2/);
  writeFileSync(path.join(folder, file), text.replace('"password":"•••"', '"password":"hunter2"'));
  const { code, stdout, stderr } = await runCli(['mock', file], { folder });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /line \d+: the recording contains a secret at \/params\/arguments\/password/);
});

const good = 'good.mcprecording.jsonl';
const wrongUsages: [string, string[], RegExp][] = [
  [
    'a file that exists',
    ['record', ...typed, 'taken.jsonl'],
    /taken\.jsonl exists\. Name another file, or add --force/,
  ],
  ['calls that are not JSON', ['record', ...typed, 'new.jsonl', '--call', 'add {'], /not valid JSON/],
  ['a missing recording', ['mock', 'nowhere.jsonl'], /nowhere\.jsonl/],
  ['no recording', ['mock'], /Name exactly one recording/],
  [
    'a port without a transport',
    ['mock', good, '--port', '1'],
    /^--port and --token need --transport http, sse, or ws/,
  ],
  ['a token for stdio', ['mock', good, '--transport', 'stdio', '--token', 'x'], /^--port and --token need/],
  ['an unknown transport', ['mock', good, '--transport', 'tcp'], /^--transport must be stdio, http, sse, or ws/],
];
for (const [what, args, message] of wrongUsages) {
  test(`${what} ends with exit code 2 and a message`, async (t) => {
    const { code, stdout, stderr } = await runCli(args, {
      folder: folderWith(t, { 'taken.jsonl': '{}', [good]: JSON.stringify(recordedHead({})) }),
    });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
  });
}

test('[S6] compare shows no secret of the server, in words and as JSON', async (t) => {
  const secret = 'literal-0123456789';
  const params = { name: 'environment', arguments: { name: 'API_TOKEN' } };
  const result = { content: [{ type: 'text', text: 'other' }] };
  const lines = [recordedHead({ tools: {} }), { at: 0, request: 'tools/call', params, ms: 0, result }];
  const folder = folderWith(t, {
    'a.mcprecording.jsonl': lines.map((line) => JSON.stringify(line)).join('\n'),
    '.vscode/mcp.json': {
      servers: { counter: { command: process.execPath, args: [counter], env: { API_TOKEN: secret } } },
    },
  });
  for (const more of [[], ['--json']]) {
    const { code, stdout, stderr } = await runCli(['compare', 'counter', 'a.mcprecording.jsonl', '--yes', ...more], {
      folder,
    });
    assert.equal(code, 1, stderr);
    assert.ok(stdout.includes('•••') && !`${stdout}${stderr}`.includes(secret), stdout + stderr);
  }
});
