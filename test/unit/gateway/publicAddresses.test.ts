import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicAddresses } from '../../../src/core/gateway/publicAddresses.js';

const addresses = [
  'file:///a/b c.txt',
  'ui://kit/app.html',
  'ui://mcp-deck/other/app.html',
  'mcp-deck://other/file:///secret',
  'mcp-deck://',
  'mcp-deck:///',
  'ui://',
  'ui://mcp-deck//',
  'kit://name/%2F?x=1#y',
  '',
  'no address',
  'line\nbreak',
];

test('[GW2] every address of every server leads back to that server and its own address', () => {
  const table = new PublicAddresses();
  const servers = ['one', 'two', 'other', 'with/slash', 'with%2Fpercent', 'ünï'];
  const seen = new Map<string, string>();
  for (const server of servers)
    for (const uri of addresses) {
      const published = table.publish(server, uri);
      const key = `${server}\n${uri}`;
      assert.equal(seen.get(published), undefined, `${published} belongs to two`);
      seen.set(published, key);
      assert.deepEqual(table.find(published), { server, uri });
      assert.equal(table.publish(server, uri), published, 'the same address again');
    }
  assert.equal(seen.size, servers.length * addresses.length);
});

test('[GW2] a server cannot publish an address that means another server', () => {
  const table = new PublicAddresses();
  for (const forged of ['mcp-deck://victim/file:///x', 'ui://mcp-deck/victim/app.html', 'MCP-DECK://victim/x']) {
    const published = table.publish('attacker', forged);
    assert.deepEqual(table.find(published), { server: 'attacker', uri: forged });
  }
});

test('the first server with an address keeps it, and addresses of apps stay addresses of apps', () => {
  const table = new PublicAddresses();
  assert.equal(table.publish('one', 'ui://kit/app.html'), 'ui://kit/app.html');
  assert.equal(table.publish('two', 'ui://kit/app.html'), 'ui://mcp-deck/two/kit/app.html');
  assert.equal(table.publish('two', 'kit://same'), 'kit://same');
  assert.equal(table.publish('one', 'kit://same'), 'mcp-deck://one/kit://same');
});

test('an address that no server has published is not found', () => {
  assert.equal(new PublicAddresses().find('file:///x'), undefined);
});
