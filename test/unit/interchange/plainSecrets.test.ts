import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksSecret } from '../../../src/shared/secretNames.js';
import { findSecrets, withInputs } from '../../../src/core/interchange/plainSecrets.js';

const server = (fields: Record<string, unknown>) => [{ name: 'Git Hub', fields }];

test('values that look like secrets are found by their name or their shape', () => {
  const servers = server({
    env: {
      GITHUB_TOKEN: 'abc12345',
      PLAIN: 'production',
      CERT_PATH: '/etc/ssl/private.key',
      SHAPE: 'ghp_0123456789abcdefghij',
      KEY_FILE: '/home/me/key',
      ALREADY: '${input:x}',
    },
    headers: { Authorization: 'Bearer abcdef0123', 'X-API-Key': 'k-12345678', Accept: 'application/json' },
    args: ['--api-key', 'qwertyui', '--token=zxcvbnma', '--root', '/home/me/project', 'sk-0123456789abcdefgh'],
  });
  assert.deepEqual(
    findSecrets(servers).map(({ field, name, before, value, id }) => `${field} ${name} ${before}|${value} ${id}`),
    [
      'env GITHUB_TOKEN |abc12345 git-hub-github-token',
      'env SHAPE |ghp_0123456789abcdefghij git-hub-shape',
      'headers Authorization Bearer |abcdef0123 git-hub-authorization',
      'headers X-API-Key |k-12345678 git-hub-x-api-key',
      'args 1 |qwertyui git-hub-api-key',
      'args 2 --token=|zxcvbnma git-hub-token',
      'args 5 |sk-0123456789abcdefgh git-hub-argument',
    ],
  );
});

test('secrets in assignments among the arguments are found', () => {
  const args = [
    '-e',
    'ACME_TOKEN=hunter2-2',
    '--env=ACME_KEY=a',
    '--env=ACME_SECRET=hunter2-3',
    '--token',
    'a=hunter2-4',
  ];
  assert.deepEqual(
    findSecrets(server({ args: [...args, '--mode=fast-and-loud', 'NODE_ENV=production'] })).map(
      ({ name, before, value, id }) => `${name} ${before}|${value} ${id}`,
    ),
    [
      '1 ACME_TOKEN=|hunter2-2 git-hub-acme-token',
      '3 --env=ACME_SECRET=|hunter2-3 git-hub-acme-secret',
      '5 |a=hunter2-4 git-hub-token',
    ],
  );
});

test('moved secrets are absent from the written text, and each has a password input', () => {
  const servers = server({
    env: { TOKEN: 'hunter2-hunter2', OTHER: 'x' },
    headers: { Authorization: 'Bearer hunter3-hunter3' },
    args: ['--token=hunter4-hunter4'],
  });
  const moved = withInputs(servers, findSecrets(servers));
  assert.equal(JSON.stringify(moved).includes('hunter'), false);
  assert.deepEqual(moved.servers[0]?.fields, {
    env: { TOKEN: '${input:git-hub-token}', OTHER: 'x' },
    headers: { Authorization: 'Bearer ${input:git-hub-authorization}' },
    args: ['--token=${input:git-hub-token-2}'],
  });
  assert.deepEqual(
    moved.inputs.map(({ id, type, password }) => [id, type, password]),
    [
      ['git-hub-token', 'promptString', true],
      ['git-hub-authorization', 'promptString', true],
      ['git-hub-token-2', 'promptString', true],
    ],
  );
});

test('ordinary values are not changed', () => {
  for (const [name, text] of [
    ['TOKEN', 'short'],
    ['NODE_ENV', 'production'],
    ['PASSWORD_FILE', '/run/secret'],
    ['API_KEY', '${env:KEY}'],
    ['HOME', '/home/somebody/with/a/very/long/path/that/is/longer/than/forty'],
    ['TOKEN_URL', 'https://login.example.com/token'],
  ] as const)
    assert.equal(looksSecret(name, text), false, name);
});
