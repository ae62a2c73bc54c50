import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkName,
  joinNewServer,
  mayBeRawSocket,
  nameProblem,
  newServerSchema,
  splitNewServer,
} from '../../../../src/core/present/form/newServer.js';
import { schemaForm } from '../../../../src/core/present/form/schemaForm.js';

test('an address of a socket may be of HTTP or of JSON lines, unless it has a path', () => {
  assert.deepEqual(
    ['unix:///run/x.sock', 'pipe:///x', 'unix:///run/x.sock#/mcp', 'https://x/mcp'].map((url) =>
      mayBeRawSocket({ url }),
    ),
    [true, true, false, false],
  );
});

test('a name is checked while it is typed', () => {
  const check = (name: string) => checkName(name, new Set(['here'])) === undefined;
  assert.deepEqual(['good', 'With Space', 'ünï', '', '  ', 'here', ' here ', '__proto__', 'a\u200bb'].filter(check), [
    'good',
    'With Space',
    'ünï',
  ]);
  assert.deepEqual(nameProblem('here', new Set(['here'])), [
    { path: '/name', message: 'A server "here" already exists in this location' },
  ]);
});

test('the form of a new server begins with its name and where it is saved', () => {
  const schema = newServerSchema(
    { type: 'object', required: ['command'], properties: { command: { type: 'string' } } },
    [
      { key: 'user', label: 'User settings', description: 'for you' },
      { key: 'vscode', label: '.vscode/mcp.json', description: 'for this folder' },
    ],
  );
  assert.deepEqual(schema['required'], ['name', 'saveTo', 'command']);
  assert.match(JSON.stringify(schemaForm(schema)), /Name.*Save To.*command/s);
  const values = { name: 'x', saveTo: 'user', fields: { command: 'node' } };
  assert.deepEqual(splitNewServer(joinNewServer(values)), values);
});

test('the only location of a new server is shown by its label', () => {
  const schema = newServerSchema({ type: 'object', properties: {} }, [
    { key: 'user', label: 'User settings', description: 'for you' },
  ]);
  const locations = schemaForm(schema).nodes.filter((node) => node?.kind === 'constant');
  assert.deepEqual(locations, [{ kind: 'constant', value: 'user', label: 'User settings' }]);
});
