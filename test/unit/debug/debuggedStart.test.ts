import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DebugPlan } from '../../../src/core/debug/debuggedStart.js';
import { debuggedStart, inspectFlag } from '../../../src/core/debug/debuggedStart.js';

const start = (line: string, env: Record<string, string | null> = {}) => {
  const [command = '', ...args] = line.split(' ');
  return { command, args, env };
};
const shown = ({ command, args }: { command: string; args: string[] }): string => [command, ...args].join(' ');
const node = (way: 'arguments' | 'options'): DebugPlan => ({ kind: 'node', way, stopAtStart: false });
const python = (debugpy: { package: string } | { program: string }): DebugPlan => ({
  kind: 'debugpy',
  stopAtStart: false,
  port: 5678,
  debugpy,
});

test('Node gets the inspector flag before the script, with a local port that it chooses itself', () => {
  assert.equal(
    shown(debuggedStart(start('node --enable-source-maps server.js --inspect=1'), node('arguments'))),
    'node --inspect-brk=127.0.0.1:0 --enable-source-maps server.js --inspect=1',
  );
});

test('an inspector flag in the definition is replaced, because others could know its port', () => {
  assert.equal(
    shown(debuggedStart(start('node --inspect=0.0.0.0:9229 --inspect-port=1 server.js'), node('arguments'))),
    `node ${inspectFlag} server.js`,
  );
  const { env } = debuggedStart(
    start('npx server', { node_options: '--inspect --max-old-space-size=512', KEPT: null }),
    node('options'),
  );
  assert.deepEqual(env, { KEPT: null, NODE_OPTIONS: `--max-old-space-size=512 ${inspectFlag}` });
});

test('every spelling of an option that opens an inspector is replaced, also after an option with a value', () => {
  const others = [
    '--debug-port=0.0.0.0:9333',
    '--debug_port 0.0.0.0:9333',
    '--inspect_port=0.0.0.0:9333',
    '--inspect-port 0.0.0.0:9333',
    '--inspect_brk=0.0.0.0:9333',
    '--inspect_wait=0.0.0.0:9333',
    '--inspect-brk-node=0.0.0.0:9333',
  ];
  for (const other of others)
    assert.equal(
      shown(debuggedStart(start(`node -r ./a.js --title b ${other} -C c -- server.js --inspect=1`), node('arguments'))),
      `node ${inspectFlag} -r ./a.js --title b -C c -- server.js --inspect=1`,
      other,
    );
  assert.equal(
    shown(debuggedStart(start('node -r --inspect-port=1 --inspector - --inspect=1'), node('arguments'))),
    `node ${inspectFlag} -r --inspector - --inspect=1`,
  );
});

test('a launcher of Node gets an environment variable, and its command stays', () => {
  const before = start('npx -y a-server', { A: '1' });
  assert.deepEqual(debuggedStart(before, node('options')), { ...before, env: { A: '1', NODE_OPTIONS: inspectFlag } });
});

test('Python runs debugpy, which runs the server', () => {
  const lines = [
    'python server.py --port 1',
    'python3 -u -X dev server.py',
    'python -um a_server x',
    'uv run --with mcp server.py',
    'uv run python3 -m a_server',
    'uv run -m a_server',
  ];
  assert.deepEqual(
    lines.map((line) => shown(debuggedStart(start(line), python({ package: '/d' })))),
    [
      'python /d --listen 127.0.0.1:5678 --wait-for-client server.py --port 1',
      'python3 -u -X dev /d --listen 127.0.0.1:5678 --wait-for-client server.py',
      'python -u /d --listen 127.0.0.1:5678 --wait-for-client -m a_server x',
      'uv run --with mcp python /d --listen 127.0.0.1:5678 --wait-for-client server.py',
      'uv run python3 /d --listen 127.0.0.1:5678 --wait-for-client -m a_server',
      'uv run python /d --listen 127.0.0.1:5678 --wait-for-client -m a_server',
    ],
  );
});

test('a debugpy in the definition is the program that is started', () => {
  assert.equal(
    shown(debuggedStart(start('python -m a_server'), python({ program: '/opt/debugpy' }))),
    '/opt/debugpy --listen 127.0.0.1:5678 --wait-for-client -m a_server',
  );
});
