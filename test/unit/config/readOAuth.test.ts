import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import { describeStart } from '../../../src/core/config/describeStart.js';
import { parseConfigValue } from '../../../src/core/config/parseConfig.js';
import type { ConfigSource, RemoteDefinition } from '../../../src/core/config/serverDefinition.js';
import { collectVariables } from '../../../src/core/config/variableSyntax.js';

const source: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };

function read(oauth: unknown): { oauth: RemoteDefinition['oauth']; problems: string[] } {
  const { servers, problems } = parseConfigValue({ vault: { url: 'https://mcp.example', oauth } }, source);
  return {
    oauth: (servers[0]?.definition as RemoteDefinition | undefined)?.oauth,
    problems: problems.map(({ message }) => message),
  };
}

test('the fields of a sign-in are read as written; scopes also from one string, and the port in the notation of other hosts', () => {
  assert.deepEqual(
    read({ clientId: 'a', clientSecret: '${input:s}', scopes: 'x y', callbackPort: 8123, trustedHosts: ['sso.corp'] }),
    {
      oauth: {
        clientId: 'a',
        clientSecret: '${input:s}',
        scopes: ['x', 'y'],
        trustedHosts: ['sso.corp'],
        redirectUri: 'http://localhost:8123/callback',
      },
      problems: [],
    },
  );
  assert.deepEqual(read(false), { oauth: false, problems: [] });
  assert.deepEqual(read(null), { oauth: undefined, problems: [] });
});

test('an error in the sign-in makes the server unusable and is reported', () => {
  const wrong: [unknown, string][] = [
    ['x', '"oauth" must be an object, for example { "clientId": "…" }, or false for no sign-in.'],
    [{ clientID: 'a' }, '"clientID" is not a field of "oauth".'],
    [{ clientId: 5 }, '"oauth.clientId" must be a string that is not empty and has only one line.'],
    [{ scopes: [1] }, '"oauth.scopes" must be a list of strings without spaces.'],
    [{ grant: 'password' }, '"oauth.grant" must be one of client-credentials, enterprise, workload.'],
    [{ grant: 'workload', issuer: 'https://login.corp' }, 'The grant "workload" needs "oauth.tokenFile".'],
    [{ grant: 'workload', tokenFile: 'jwt' }, 'The grant "workload" needs "oauth.issuer".'],
    [
      { grant: 'client-credentials', clientId: 'a' },
      'The grant "client-credentials" needs "oauth.clientSecret" or "oauth.privateKeyFile".',
    ],
    [{ provider: { issuer: 'x' } }, '"oauth.provider" needs "issuer", "tokenEndpoint", and "clientId".'],
    [{ callbackPort: 'x' }, '"oauth.callbackPort" must be a port number.'],
  ];
  for (const [oauth, message] of wrong) assert.deepEqual(read(oauth), { oauth: undefined, problems: [message] });
});

test('[C3] a change of the sign-in asks for trust again, and its files and addresses are in the question', () => {
  const definition = (oauth: RemoteDefinition['oauth']): RemoteDefinition => ({
    type: 'http',
    url: 'https://mcp.example',
    headers: {},
    ...(oauth ? { oauth } : {}),
  });
  const workload = definition({ grant: 'workload', tokenFile: '/home/me/.ssh/id_rsa', trustedHosts: ['10.0.0.1'] });
  assert.notEqual(definitionHash(definition(undefined), {}), definitionHash(workload, {}));
  assert.deepEqual(describeStart({ definition: workload, source }).warnings, [
    'Its sign-in reads /home/me/.ssh/id_rsa, and sends the content of this file or a token that is derived from it.',
    'Its sign-in is allowed to contact 10.0.0.1, even if this host is in a private network.',
  ]);
});

test('variables in the sign-in count as those of the server', () => {
  const definition: RemoteDefinition = {
    type: 'http',
    url: 'https://x',
    headers: {},
    oauth: { clientSecret: '${input:s}', provider: { issuer: '${env:I}', tokenEndpoint: 't', clientId: 'c' } },
  };
  assert.deepEqual(collectVariables(definition), ['input:s', 'env:I']);
});
