import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { folderWith, runCli } from '../../support/cliProcess.js';
import { startProtectedServer } from '../../support/protectedMcp.js';

const secret = 'hush-4711-client-secret';

/** A server that requires a sign-in, and a folder whose mcp.json signs in by client credentials. */
async function protectedServer(t: TestContext) {
  const servers = await startProtectedServer();
  t.after(() => servers.stop());
  servers.clients.set('robot', { secret, redirectUris: [] });
  const folder = folderWith(t, {
    '.mcp.json': {
      mcpServers: {
        vault: {
          type: 'http',
          url: servers.url,
          oauth: { grant: 'client-credentials', clientId: 'robot', clientSecret: '${env:ROBOT_SECRET}' },
        },
      },
    },
    'vault.mcptest.yaml': [
      'server: vault',
      'tests:',
      '  - call: whoami',
      '    expect: { text: "whoami with files:read" }',
      '',
    ].join('\n'),
  });
  return { servers, folder };
}

for (const [what, args, shown] of [
  ['a call', ['call', 'vault', 'whoami', '--yes', '--verbose'], /whoami with files:read/],
  ['a call with --json', ['call', 'vault', 'whoami', '--yes', '--json', '--verbose'], /"ok": ?true/],
  ['a test', ['test', '--yes'], /1 passed/],
] as const)
  test(`[CLI4] ${what} signs in by client credentials without a terminal, with a secret that is not printed`, async (t) => {
    const { servers, folder } = await protectedServer(t);
    const { code, stdout, stderr } = await runCli(args, { folder, env: { ROBOT_SECRET: secret } });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, shown);
    const [grant, ...others] = servers.grants('client_credentials');
    assert.deepEqual(
      [grant?.headers.authorization, others.length],
      [`Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`, 0],
    );
    assert.deepEqual(servers.requests('/authorize'), [], 'No browser is needed.');
    const tokens = [...servers.accessTokens.keys()];
    for (const hidden of [secret, ...tokens]) assert.doesNotMatch(stdout + stderr, new RegExp(hidden));
  });

for (const [what, env, message] of [
  ['wrong', { ROBOT_SECRET: 'wrong-0815' }, /issued no token: wrong secret \(invalid_client\)/],
  [
    'missing',
    {},
    /^The server "vault" uses \$\{env:ROBOT_SECRET\}, which has no value\. The environment variable ROBOT_SECRET is not set\.$/m,
  ],
] as const)
  test(`[CLI4] a client secret that is ${what} ends with exit code 2 and the reason, and is not printed`, async (t) => {
    const { folder } = await protectedServer(t);
    const { code, stdout, stderr } = await runCli(['call', 'vault', 'whoami', '--yes', '--verbose'], { folder, env });
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /0815/);
  });
