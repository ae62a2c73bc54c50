import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalLock } from '../../../src/core/auth/authLock.js';
import type { StoredAccount, TokenSet } from '../../../src/core/auth/serverRecord.js';
import { secretKey, TokenStore } from '../../../src/core/auth/tokenStore.js';
import { clientsAt, currentAccount, putAccount, tokensFrom } from '../../../src/core/auth/serverRecord.js';
import { MemorySecrets } from '../../support/memorySecrets.js';

const server = 'https://s.example/mcp';
const client = { clientId: 'c', authMethod: 'none' as const };

function tokens(accessToken: string, more: Partial<TokenSet> = {}): TokenSet {
  return {
    accessToken,
    type: 'Bearer',
    obtainedAt: 0,
    scopes: ['a'],
    requestedScopes: ['a'],
    resource: server,
    tokenEndpoint: 'https://as.example/token',
    client,
    ...more,
  };
}

function account(name: string, issuer = 'https://as.example'): StoredAccount {
  return {
    issuer,
    account: name,
    tokens: tokens(`access-${name}`, { refreshToken: `refresh-${name}`, expiresAt: 5000 }),
  };
}

function newStore(): { store: TokenStore; secrets: MemorySecrets } {
  const secrets = new MemorySecrets();
  return { store: new TokenStore(secrets, new LocalLock()), secrets };
}

test('several accounts per server are kept, listed without secrets, and forgotten one by one', async () => {
  const { store, secrets } = newStore();
  await store.update(server, (record) => {
    record.name = 'github';
    record.selected = 'work';
    putAccount(record, account('default'));
    putAccount(record, { ...account('work'), label: 'me@work.example' });
  });
  const listed = await store.accounts();
  assert.deepEqual(
    listed.map(({ serverName, account: name, label, isSelected, canRefresh, expiresAt }) => [
      serverName,
      name,
      label,
      isSelected,
      canRefresh,
      expiresAt,
    ]),
    [
      ['github', 'default', undefined, false, true, 5000],
      ['github', 'work', 'me@work.example', true, true, 5000],
    ],
  );
  assert.ok(!JSON.stringify(listed).includes('access-') && !JSON.stringify(listed).includes('refresh-'));
  await store.forgetAccounts(server, { account: 'work' });
  assert.deepEqual(
    (await store.accounts()).map(({ account: name }) => name),
    ['default'],
  );
  await store.forgetAccounts(server);
  assert.deepEqual([await store.accounts(), secrets.values.has(secretKey(server))], [[], false]);
});

test('[S4] servers are identified by address: the same name elsewhere gets no tokens', async () => {
  const { store } = newStore();
  await store.update(server, (record) => putAccount(record, account('default')));
  assert.deepEqual((await store.read('https://evil.example/mcp')).accounts, []);
  assert.notEqual(secretKey(server), secretKey('https://evil.example/mcp'));
});

test('[A10] an account that comes back from another issuer replaces the old one', async () => {
  const { store } = newStore();
  await store.update(server, (record) => putAccount(record, account('default', 'https://one.example')));
  const record = await store.update(server, (current) =>
    putAccount(current, account('default', 'https://two.example')),
  );
  assert.deepEqual(
    record.accounts.map(({ issuer }) => issuer),
    ['https://two.example'],
  );
});

test('registrations are listed and forgotten per issuer; tokens stay', async () => {
  const { store } = newStore();
  await store.update(server, (record) => {
    putAccount(record, account('default'));
    clientsAt(record, 'https://one.example').dynamic = {
      clientId: 'd',
      clientSecret: 'hush',
      authMethod: 'client_secret_basic',
      redirectUri: 'http://127.0.0.1:1/callback',
    };
    record.bound = { clientId: 'x', issuer: 'https://one.example' };
  });
  await store.setClient(server, 'github', 'https://two.example', { clientId: 'e', clientSecret: 'hush' });
  const listed = await store.registrations();
  assert.deepEqual(
    listed.map(({ issuer, clientId, kind }) => [issuer, clientId, kind]),
    [
      ['https://one.example', 'd', 'dynamic'],
      ['https://two.example', 'e', 'entered'],
    ],
  );
  assert.ok(!JSON.stringify(listed).includes('hush'));
  await store.forgetRegistrations(server, 'https://one.example');
  assert.deepEqual(
    (await store.registrations()).map(({ clientId }) => clientId),
    ['e'],
  );
  await store.setClient(server, 'github', 'https://two.example', undefined);
  const record = await store.read(server);
  assert.deepEqual([record.clients, record.accounts.length, record.bound], [[], 1, undefined]);
});

test('forgetting a server removes all of its data', async () => {
  const { store, secrets } = newStore();
  await store.update(server, (record) => {
    putAccount(record, account('default'));
    record.bound = { clientId: 'x', issuer: 'i' };
  });
  await store.forgetServer(server);
  assert.deepEqual([...secrets.values], [['mcpDeck.auth.servers', '[]']]);
});

test('concurrent changes from two stores are all kept', async () => {
  const secrets = new MemorySecrets();
  const lock = new LocalLock();
  const stores = [new TokenStore(secrets, lock), new TokenStore(secrets, lock)];
  await Promise.all(
    Array.from({ length: 20 }, (_unused, i) =>
      (stores[i % 2] as TokenStore).update(i % 4 === 0 ? server : `${server}/${i}`, (record) =>
        putAccount(record, account(`a${i}`)),
      ),
    ),
  );
  assert.equal((await stores[0]?.accounts())?.length, 20);
});

test('a value that cannot be read counts as absent, and a write that fails keeps the old one', async () => {
  const { store, secrets } = newStore();
  for (const bad of [
    '{',
    '[]',
    '{"server":"other"}',
    JSON.stringify({ server, accounts: [{ tokens: 5 }, null], clients: [7] }),
  ]) {
    secrets.values.set(secretKey(server), bad);
    const record = await store.read(server);
    assert.deepEqual([record.accounts, record.clients], [[], []], bad);
  }
  await store.update(server, (record) => putAccount(record, account('default')));
  secrets.failures = 1;
  await assert.rejects(
    store.update(server, (record) => putAccount(record, account('work'))),
    /keychain/,
  );
  assert.deepEqual(
    (await store.accounts()).map(({ account: name }) => name),
    ['default'],
  );
});

test('the account in use is the named one, otherwise the selected, otherwise the first', () => {
  const record = { server, name: '', selected: 'b', accounts: [account('a'), account('b')], clients: [] };
  assert.deepEqual(
    [
      currentAccount(record, 'a')?.account,
      currentAccount(record)?.account,
      currentAccount({ ...record, selected: 'x' })?.account,
      currentAccount(record, 'x'),
    ],
    ['a', 'b', 'a', undefined],
  );
});

test('values that a refresh does not repeat are kept: refresh token, scopes; a private key is never stored', () => {
  const before = tokens('old', { refreshToken: 'r', scopes: ['a', 'b'] });
  const after = tokensFrom(
    { accessToken: 'new', type: 'Bearer', expiresInS: 10 },
    1000,
    { ...before, client: { ...client, privateKey: { pem: 'secret' } } },
    before,
  );
  assert.deepEqual(
    [
      after.accessToken,
      after.refreshToken,
      after.scopes,
      after.obtainedAt,
      after.expiresAt,
      JSON.stringify(after).includes('secret'),
    ],
    ['new', 'r', ['a', 'b'], 1000, 11_000, false],
  );
});

test('a record that cannot be read is backed up with its content and reported before it is overwritten', async () => {
  for (const rubbish of [
    '',
    'not JSON',
    '[]',
    '{"server":"another","accounts":[],"clients":[]}',
    '{"server":"https://s.example/mcp","accounts":7}',
  ]) {
    const secrets = new MemorySecrets();
    const lines: string[] = [];
    const store = new TokenStore(secrets, new LocalLock(), (line) => lines.push(line));
    await secrets.set(secretKey(server), rubbish);
    assert.deepEqual((await store.read(server)).accounts, []);
    assert.equal(await secrets.get(secretKey(server)), rubbish, 'reading changes nothing');
    await store.update(server, (record) => putAccount(record, account('default')));
    assert.equal(await secrets.get(`${secretKey(server)}.unreadable`), rubbish);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /sign-in to https:\/\/s\.example\/mcp cannot be read/);
    assert.equal((await store.read(server)).accounts.length, 1);
  }
});

test('a list of servers that cannot be read is backed up and reported, and fills again', async () => {
  const secrets = new MemorySecrets();
  const lines: string[] = [];
  const store = new TokenStore(secrets, new LocalLock(), (line) => lines.push(line));
  await secrets.set('mcpDeck.auth.servers', '{gone');
  assert.deepEqual(await store.accounts(), []);
  assert.deepEqual([await secrets.get('mcpDeck.auth.servers.unreadable'), lines.length], ['{gone', 1]);
  await store.update(server, (record) => putAccount(record, account('default')));
  assert.equal((await store.accounts()).length, 1);
});
