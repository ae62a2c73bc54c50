import assert from 'node:assert/strict';
import { test } from 'node:test';
import { debuggerFor } from '../../../src/core/debug/debuggerFor.js';
import type { StdioDefinition } from '../../../src/core/config/serverDefinition.js';

const local = (command: string, args: string[] = [], debug?: unknown): StdioDefinition => ({
  type: 'stdio',
  command,
  args,
  env: {},
  ...(debug === undefined ? {} : { extra: { dev: { debug } } }),
});
const shown = (line: string, debug?: unknown): string => {
  const [command = '', ...args] = line.split(' ');
  const choice = debuggerFor(local(command, args, debug));
  return choice.kind === 'node' ? `node by ${choice.way}` : choice.kind === 'none' ? `none: ${choice.why}` : 'debugpy';
};

test('the command determines the debugger', () => {
  const lines = [
    'node server.js',
    '/usr/local/bin/node22 server.js',
    'C:\\Program\\node.exe server.js',
    'npx -y a-server',
    'npx.cmd -y a-server',
    'cmd /c npx -y a-server',
    'tsx server.ts',
    './build/server.mjs',
    'python -u server.py',
    'python3.12 -m a_server',
    'py -3 server.py',
    'uv run server.py',
    'uv --directory /w run --with mcp python -m a_server',
    'uv run a-server',
    'uvx a-server',
    'python',
    'docker run -i an/image node server.js',
    'bunx a-server',
    'deno run server.ts',
    './a-server',
  ];
  assert.deepEqual(
    lines.map((line) => `${line}: ${shown(line)}`),
    [
      'node server.js: node by arguments',
      '/usr/local/bin/node22 server.js: node by arguments',
      'C:\\Program\\node.exe server.js: node by arguments',
      'npx -y a-server: node by options',
      'npx.cmd -y a-server: node by options',
      'cmd /c npx -y a-server: node by options',
      'tsx server.ts: node by options',
      './build/server.mjs: node by options',
      'python -u server.py: debugpy',
      'python3.12 -m a_server: debugpy',
      'py -3 server.py: debugpy',
      'uv run server.py: debugpy',
      'uv --directory /w run --with mcp python -m a_server: debugpy',
      'uv run a-server: none: packaged',
      'uvx a-server: none: packaged',
      'python: none: unknown',
      'docker run -i an/image node server.js: none: container',
      'bunx a-server: none: bun',
      'deno run server.ts: none: deno',
      './a-server: none: unknown',
    ],
  );
});

test('"dev.debug" decides when the command does not, and does not apply inside a container', () => {
  assert.equal(shown('./a-server', { type: 'node' }), 'node by options');
  assert.equal(shown('node server.js', { type: 'node' }), 'node by arguments');
  assert.equal(shown('docker run an/image', { type: 'node' }), 'none: container');
  assert.equal(shown('./a-server', { type: 'lldb' }), 'none: unknown');
  assert.deepEqual(debuggerFor(local('python', ['server.py'], { type: 'debugpy', debugpyPath: '/opt/debugpy' })), {
    kind: 'debugpy',
    debugpyPath: '/opt/debugpy',
  });
});

test('a server that MCP Deck does not start cannot be debugged', () => {
  assert.deepEqual(debuggerFor({ type: 'http', url: 'https://example.com/mcp', headers: {} }), {
    kind: 'none',
    why: 'remote',
  });
  assert.deepEqual(debuggerFor({ type: 'builtin' }), { kind: 'none', why: 'builtin' });
});
