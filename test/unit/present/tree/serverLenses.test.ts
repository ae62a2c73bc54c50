import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../../src/core/base/hostError.js';
import { serverLenses } from '../../../../src/core/present/tree/serverLenses.js';
import { variableAt, variableText } from '../../../../src/core/present/documents/variableHover.js';
import { needsInput, needsTrust, serverView } from '../../../support/serverViews.js';

test('each state has its text first, then its actions', () => {
  const line = (view: ReturnType<typeof serverView>) =>
    serverLenses(view)
      .map(({ title }) => title)
      .join(' | ');
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
  assert.deepEqual(
    [
      line(serverView('s')),
      line(serverView('s', { isEnabled: false })),
      line(serverView('s', { features: { tools: [tool('a'), tool('b')] } })),
      line(serverView('s', { features: {} })),
      line(serverView('s', { state: { kind: 'failed', error: new HostError('exited', 'x'), at: 0 } })),
      line(serverView('s', { state: needsTrust })),
      line(serverView('s', { state: needsInput })),
    ],
    [
      '$(circle-outline) MCP Deck: Stopped | MCP Deck: Start',
      '$(circle-slash) MCP Deck: Disabled | Enable',
      '$(circle-filled) MCP Deck: Running | Stop | Restart | 2 tools | Run Tool…',
      '$(circle-filled) MCP Deck: Running | Stop | Restart',
      '$(error) MCP Deck: Failed | Diagnose | Restart',
      '$(warning) MCP Deck: Needs your approval | Review…',
      '$(warning) MCP Deck: Needs a value for "key" | Start and Enter Value',
    ],
  );
});

test('a debugger in the definition is offered above the server', () => {
  const definition = {
    type: 'stdio' as const,
    command: 'node',
    args: ['server.js'],
    env: {},
    extra: { dev: { debug: { type: 'node' } } },
  };
  assert.deepEqual(
    serverLenses(serverView('s', { definition, features: {} })).map(({ title, command }) => `${title} ${command}`),
    ['$(circle-filled) MCP Deck: Running showLog', 'Stop stopServer', 'Restart restartServer', 'Debug… debugServer'],
  );
});

test('a variable is found by its position in the line', () => {
  const text = '"args": ["${workspaceFolder}/x", "${env:A}"]';
  assert.deepEqual(
    [
      variableAt(text, text.indexOf('space'))?.name,
      variableAt(text, text.indexOf('env'))?.name,
      variableAt(text, text.indexOf('/x')),
      variableAt('${open', 3)?.name,
    ],
    ['workspaceFolder', 'env:A', undefined, 'open'],
  );
});

test('a variable shows its value, but no likely secret', () => {
  const facts = {
    env: { PLAIN: 'value', API_TOKEN: 'hunter2-hunter2' },
    folderPath: '/w',
    folders: [{ name: 'w', path: '/w' }],
    userHome: '/home/me',
    inputs: [{ id: 'key', type: 'promptString' as const, description: 'The key', password: true }],
    isPortable: true,
    getSetting: (key: string) => (key === 'a.b' ? 5 : undefined),
  };
  const texts = [
    'workspaceFolder',
    'workspaceFolder:w',
    'workspaceFolder:x',
    'env:PLAIN',
    'env:API_TOKEN',
    'env:NONE',
    'NONE:-x',
    'API_TOKEN',
    'config:a.b',
    'config:none',
    'input:key',
    'input:none',
    'userHome',
    'odd:x',
  ].map((name) => variableText(name, facts));
  assert.deepEqual(texts, [
    'The workspace folder. Current value: /w',
    'The workspace folder. Current value: /w',
    'No workspace folder is named "x".',
    'An environment variable of VS Code. Current value: value',
    'An environment variable of VS Code. The value looks like a secret and is not shown.',
    'An environment variable of VS Code. The variable is not set.',
    'An environment variable of VS Code. The variable is not set, so the text after ":-" is used.',
    'An environment variable of VS Code. The value looks like a secret and is not shown.',
    'A setting. Current value: 5',
    'A setting whose value cannot be used as text.',
    'MCP Deck asks for the value when it is first needed, and keeps it in secret storage. Question: The key',
    'There is no input "none" in "inputs".',
    'Your home folder. Current value: /home/me',
    'There is no such variable, so the server cannot start.',
  ]);
  const none = { ...facts, folderPath: undefined, folders: [] };
  assert.equal(variableText('workspaceFolder', none), 'No folder is open.');
});
