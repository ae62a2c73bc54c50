import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSameReceiver, receiverValues } from '../../../src/core/config/receiver.js';
import type { RemoteDefinition, StdioDefinition } from '../../../src/core/config/serverDefinition.js';

const remote: RemoteDefinition = {
  type: 'http',
  url: 'https://a.example/mcp',
  headers: {},
  oauth: { clientId: 'c', clientSecret: '${input:secret}' },
};
const local: StdioDefinition = {
  type: 'stdio',
  command: 'python3',
  args: ['server.py'],
  env: { KEY: '${input:secret}' },
};

const context = {
  serverName: 'a',
  folderPath: '/w',
  folders: [],
  userHome: '/h',
  getSetting: () => undefined,
  readFile: () => Promise.reject(new Error('none')),
  isPortable: false,
};

describe('[S4] a typed value is not given to', () => {
  const provider = { issuer: 'https://b.example', tokenEndpoint: 'https://b.example/token', clientId: 'c' };
  const others: [string, RemoteDefinition['oauth']][] = [
    ['another issuer', { clientId: 'c', clientSecret: '${input:secret}', issuer: 'https://b.example' }],
    ['another identity provider', { clientId: 'c', clientSecret: '${input:secret}', provider }],
    [
      'another redirect address',
      { clientId: 'c', clientSecret: '${input:secret}', redirectUri: 'http://127.0.0.1:8123/' },
    ],
    [
      'a sign-in that may lead to additional hosts',
      { clientId: 'c', clientSecret: '${input:secret}', trustedHosts: ['10.0.0.1'] },
    ],
  ];
  for (const [what, oauth = false] of others)
    test(what, () => assert.equal(isSameReceiver(remote, { ...remote, oauth }), false));

  const env = { DATABASE_URL: 'db://app:${input:secret}@a.example/', DB_HOST: 'a', LOG: 'low', ACCOUNT: '1' };
  const changes: [string, Record<string, string>][] = [
    ['another address around the value', { DATABASE_URL: 'db://app:${input:secret}@b.example/' }],
    ['a host in another variable', { DB_HOST: 'b' }],
    ['an address in a variable that had none', { LOG: 'https://b.example' }],
    ['a path', { LOG: './b' }],
    ['another variable', { DATABASE_URL: 'db://app@a.example/', LOG: '${input:secret}' }],
  ];
  for (const [what, change] of changes)
    test(what, () => assert.equal(isSameReceiver({ ...local, env }, { ...local, env: { ...env, ...change } }), false));

  test('a debugger that runs instead of the program', () =>
    assert.equal(
      isSameReceiver(local, { ...local, extra: { dev: { debug: { type: 'debugpy', debugpyPath: './evil.sh' } } } }),
      false,
    ));
});

test('[S4] other values of the environment do not change the receiver', () => {
  const env = { KEY: '${input:secret}', LEVEL: 'low', REMOVED: null };
  assert.equal(isSameReceiver({ ...local, env }, { ...local, env: { ...env, LEVEL: 'high' } }), true);
});

test('[S4] additional scopes and a detected debugger do not change the receiver', () => {
  assert.equal(
    isSameReceiver(remote, { ...remote, oauth: { clientId: 'c', clientSecret: '${input:secret}', scopes: ['read'] } }),
    true,
  );
  assert.equal(isSameReceiver(local, { ...local, extra: { dev: { debug: { type: 'debugpy' } } } }), true);
});

test('[S4] the environment in a value that can be an address belongs to the receiver', async () => {
  const definition = { ...local, env: { KEY: '${input:secret}', API_HOST: '${env:APP_HOST}', LEVEL: 'low' } };
  assert.deepEqual(
    [...(await receiverValues(definition, false, { ...context, env: { APP_HOST: 'a.example' } }, () => false))],
    [['env:APP_HOST', 'a.example']],
  );
});

test('[S4] the environment that leads to an issuer belongs to the receiver, the variable of the client id does not', async () => {
  const definition: RemoteDefinition = {
    ...remote,
    oauth: { clientId: '${env:CLIENT}', issuer: 'https://${env:ISSUER}' },
  };
  const env = { CLIENT: 'c', ISSUER: 'i.example' };
  assert.deepEqual(
    [...(await receiverValues(definition, false, { ...context, env }, () => false))],
    [['env:ISSUER', 'i.example']],
  );
});
