import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeStart } from '../../../src/core/config/describeStart.js';
import type { ServerDefinition } from '../../../src/core/config/serverDefinition.js';
import { english } from '../../../src/core/present/localize.js';
import { startQuestion } from '../../../src/core/present/startQuestion.js';
import { fileSource, serverView } from '../../support/serverViews.js';

test('[C2] the question shows command, arguments one per line, folder, names of variables and the file', () => {
  const question = ask({ type: 'stdio', command: 'npx', args: ['-y', 'some server', ''], cwd: '${workspaceFolder}', env: { API_KEY: 's3cret' }, envFile: '.env' });
  assert.equal(question.message, 'Start the server "demo" of this workspace?');
  assert.equal(
    question.detail,
    [
      'It runs\n\u00a0\u00a0\u00a0\u00a0npx',
      'with the arguments\n\u00a0\u00a0\u00a0\u00a0-y\n\u00a0\u00a0\u00a0\u00a0some server\n\u00a0\u00a0\u00a0\u00a0""',
      'in the folder\n\u00a0\u00a0\u00a0\u00a0${workspaceFolder}',
      'and sets the variables\n\u00a0\u00a0\u00a0\u00a0API_KEY',
      'and those of the file\n\u00a0\u00a0\u00a0\u00a0.env',
      'It is defined in w: .vscode/mcp.json. Start it only if you know where that comes from: it can do whatever you can.',
    ].join('\n\n'),
  );
});

test('[C2] nothing is cut and hidden characters are visible', () => {
  const long = 'x'.repeat(100_000);
  const { detail } = ask({ type: 'stdio', command: 'node', args: [long, 'a\u202eb', 'one\n    two', ` ${' '.repeat(500)}--evil`], env: {} });
  const expected = [long, 'a\\u{202e}b', '"one\\n    two"', `"${' '.repeat(501)}--evil"`, 'Look twice\n\u00a0\u00a0\u00a0\u00a0It holds 1 hidden character,'];
  assert.deepEqual(
    expected.map((part) => detail.includes(part)),
    expected.map(() => true),
  );
});

test('[C2] a raw socket shows its path, and that no HTTP is spoken', () => {
  const question = ask({ type: 'socket', url: 'unix:///run/tools.sock', headers: {} });
  assert.equal(question.message, 'Connect to the server "demo" of this workspace?');
  assert.equal(question.detail.split('\n\n')[0], 'It exchanges JSON lines with the program behind\n\u00a0\u00a0\u00a0\u00a0unix:///run/tools.sock');
});

test('[C2] a remote server shows its address and the names of headers', () => {
  const question = ask({ type: 'http', url: 'http://example.com/mcp', headers: { Authorization: 's3cret' } });
  assert.equal(question.message, 'Connect to the server "demo" of this workspace?');
  assert.match(question.detail, /^Look twice\n\u00a0\u00a0\u00a0\u00a0The connection is not encrypted\.\n\nIt connects to\n\u00a0\u00a0\u00a0\u00a0http:\/\/example\.com\/mcp\n\nand sends the headers\n\u00a0\u00a0\u00a0\u00a0Authorization\n/);
});

test('[C3] settings of the workspace that it uses are named, also for a server of the user', () => {
  const definition: ServerDefinition = { type: 'stdio', command: '/opt/tool', args: [], env: {} };
  const { entry } = serverView('demo', { definition });
  const source = { id: 'user', kind: 'user', label: 'User settings' } as const;
  const question = startQuestion({ ...entry, source }, describeStart({ definition, source, settings: ['my.tool'] }), english);
  assert.equal(question.message, 'Start your server "demo" with settings of this workspace?');
  assert.match(question.detail, /^It runs\n\u00a0\u00a0\u00a0\u00a0\/opt\/tool\n\nwith the values that this workspace gives to the settings\n\u00a0\u00a0\u00a0\u00a0my\.tool\n/);
});

test('[S1] values never stand in the question', () => {
  for (const definition of [
    { type: 'stdio', command: 'a', args: [], env: { X: 's3cret' } },
    { type: 'http', url: 'https://h/', headers: { X: 's3cret' } },
  ] as const satisfies readonly unknown[]) {
    assert.doesNotMatch(ask(definition as unknown as ServerDefinition).detail, /s3cret/);
  }
});

function ask(definition: ServerDefinition) {
  const { entry } = serverView('demo', { definition });
  return startQuestion(entry, describeStart({ definition, source: fileSource }), english);
}
