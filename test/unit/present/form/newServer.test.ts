import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewDefinition } from '../../../../src/core/present/form/newServer.js';
import {
  addServerChanges,
  applyChanges,
  checkName,
  mayBeRawSocket,
  namesIn,
  readNewServer,
  splitCommandLine,
  suggestName,
} from '../../../../src/core/present/form/newServer.js';

const echo: NewDefinition = { type: 'stdio', command: 'node', args: ['echo.js'] };

test('a command line is split as a shell would, and nothing is expanded', () => {
  assert.deepEqual(splitCommandLine(`node "a b.js" 'c "d"' --x=\\"q\\" e\\ f C:\\tools\\x.exe $HOME "" *`), [
    'node',
    'a b.js',
    'c "d"',
    '--x="q"',
    'e f',
    'C:\\tools\\x.exe',
    '$HOME',
    '',
    '*',
  ]);
  assert.deepEqual(splitCommandLine('  '), []);
  assert.equal(splitCommandLine('node "open'), undefined);
});

test('each kind of server becomes its definition', () => {
  assert.deepEqual(
    [
      readNewServer('command', 'uvx mcp-server-git --repository .'),
      readNewServer('npm', '@scope/server@1.2 /tmp'),
      readNewServer('url', ' https://example.com/mcp '),
      readNewServer('url', 'wss://h/x'),
    ],
    [
      { value: { type: 'stdio', command: 'uvx', args: ['mcp-server-git', '--repository', '.'] } },
      { value: { type: 'stdio', command: 'npx', args: ['-y', '@scope/server@1.2', '/tmp'] } },
      { value: { type: 'http', url: 'https://example.com/mcp' } },
      { value: { type: 'ws', url: 'wss://h/x' } },
    ],
  );
});

test('implausible input is a problem', () => {
  const problems = [
    readNewServer('command', ''),
    readNewServer('command', "node 'x"),
    readNewServer('npm', 'not a/b/c'),
    readNewServer('npm', '../evil'),
    readNewServer('url', 'example.com'),
    readNewServer('url', 'https://'),
  ];
  assert.deepEqual(
    problems.map((answer, index) => ('problem' in answer ? index : `${index} passed`)),
    // "not" is a package name; "a/b/c" would be its argument.
    [0, 1, '2 passed', 3, 4, 5],
  );
});

test('the suggested name is descriptive and unique', () => {
  const name = (kind: 'command' | 'npm' | 'url', text: string, taken: string[] = []) => {
    const read = readNewServer(kind, text);
    return 'value' in read ? suggestName(read.value, new Set(taken)) : undefined;
  };
  assert.deepEqual(
    [
      name('npm', '@modelcontextprotocol/server-everything@latest'),
      name('npm', '@modelcontextprotocol/server-everything', ['everything', 'everything-2']),
      name('command', 'uvx mcp-server-git'),
      name('command', 'node build/index.js'),
      name('command', '/opt/tools/my-server.exe --x'),
      name('command', 'npx -y firecrawl-mcp'),
      name('url', 'https://mcp.sentry.dev/mcp'),
      name('url', 'http://127.0.0.1:3000/mcp'),
    ],
    ['everything', 'everything-3', 'git', 'index', 'my', 'firecrawl', 'sentry', '127'],
  );
});

test('an address of a socket may be of HTTP or of JSON lines, unless it has a path', () => {
  const isOpen = (url: string) => {
    const read = readNewServer('url', url);
    return 'value' in read && mayBeRawSocket(read.value);
  };
  assert.deepEqual(['unix:///run/x.sock', 'pipe:///x', 'unix:///run/x.sock#/mcp', 'https://x/mcp'].map(isOpen), [
    true,
    true,
    false,
    false,
  ]);
  assert.equal(suggestName({ type: 'socket', url: 'unix:///run/my-tools.sock' }, new Set()), 'my-tools');
});

test('a name is checked while it is typed', () => {
  const check = (name: string) => checkName(name, new Set(['here'])) === undefined;
  assert.deepEqual(['good', 'With Space', 'ünï', '', '  ', 'here', ' here ', '__proto__', 'a\u200bb'].filter(check), [
    'good',
    'With Space',
    'ünï',
  ]);
});

test('a missing or empty file is written in full', () => {
  assert.equal(
    added('', 'vscode'),
    '{\n\t"servers": {\n\t\t"echo": {\n\t\t\t"type": "stdio",\n\t\t\t"command": "node",\n\t\t\t"args": ["echo.js"]\n\t\t}\n\t}\n}\n',
  );
  assert.match(added(' \n', 'portable'), /^\{\n\t"mcpServers": \{/);
});

test('comments, formatting and other entries of a file stay as they are', () => {
  const text =
    '// mine\r\n{\r\n  "inputs": [], // none\r\n  "servers": {\r\n    // the old one\r\n    "old": { "command": "x", },\r\n  },\r\n}\r\n';
  const result = added(text, 'vscode');
  for (const kept of ['// mine\r\n', '"inputs": [], // none', '// the old one\r\n    "old": { "command": "x", }'])
    assert.ok(result.includes(kept), kept);
  assert.deepEqual([...namesIn(result, 'vscode')], ['old', 'echo']);
  assert.match(result, /\r\n {4}"echo": \{\r\n {6}"type": "stdio"/);
});

test('a server is added at the end, after any content', () => {
  const entry = (text: string) =>
    added(text, 'vscode').replace(
      /\{\s*"type": "stdio",\s*"command": "node",\s*"args": \[\s*"echo.js"\s*\]\s*\}/,
      'NEW',
    );
  assert.deepEqual(
    [
      entry('{"servers":{}}'),
      entry('{"servers":{"a":{}}}'),
      entry('{\n  "servers": {\n    "a": {} // last\n    // end\n  }\n}'),
      entry('{\n  "servers": {\n    "a": {}, // last\n  }\n}'),
      entry('{\n  "servers": { // none yet\n  }\n}'),
      entry('{\n  "servers": {"a": {}\n  , /* c */ }\n}'),
    ],
    [
      '{"servers":{\n\t"echo": NEW\n}}',
      '{"servers":{"a":{},\n\t"echo": NEW\n}}',
      '{\n  "servers": {\n    "a": {}, // last\n    "echo": NEW\n    // end\n  }\n}',
      '{\n  "servers": {\n    "a": {}, // last\n    "echo": NEW,\n  }\n}',
      '{\n  "servers": { // none yet\n    "echo": NEW\n  }\n}',
      '{\n  "servers": {"a": {},\n    "echo": NEW\n  , /* c */ }\n}',
    ],
  );
});

test('a file without the right object gets one, formatted as the file is', () => {
  assert.deepEqual([...namesIn(added('{"inputs": []}', 'vscode'), 'vscode')], ['echo']);
});

test('a file that is not valid stays untouched', () => {
  for (const text of ['{ "servers": { ', '[]', '{ "servers": [] }', 'nonsense'])
    assert.ok('problem' in addServerChanges(text, 'vscode', 'echo', echo), text);
});

test('the position of the new server is returned, to show it', () => {
  const text = '{\n  "servers": {\n    "a": {}\n  }\n}\n';
  const changes = addServerChanges(text, 'vscode', 'echo', echo);
  assert.ok('value' in changes);
  const result = applyChanges(text, changes.value, 'vscode', 'echo');
  assert.ok(result.text.slice(result.offset).startsWith('"echo"'));
});

test('names of broken entries are also in use', () => {
  assert.deepEqual([...namesIn('{"servers": {"a": 1, "b": {}}', 'vscode')], ['a', 'b']);
  assert.deepEqual([...namesIn('', 'vscode')], []);
});

function added(text: string, file: 'vscode' | 'portable'): string {
  const changes = addServerChanges(text, file, 'echo', echo);
  assert.ok('value' in changes);
  return applyChanges(text, changes.value, file, 'echo').text;
}
