import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { initializeMessage, post } from '../serving/rawClient.js';
import { openedGateway } from '../../support/openedGateway.js';

async function open(t: TestContext, port?: number) {
  let created = 0;
  const { gateway } = await openedGateway(t, {
    token: 'known',
    tokenForOtherPort: () => Promise.resolve(`fresh${++created}`),
    ...(port === undefined ? {} : { port }),
  });
  const statusWith = async (token: string) =>
    (await post(gateway.url, initializeMessage, { authorization: `Bearer ${token}` })).status;
  return { gateway, statusWith, created: () => created };
}

test('[GW17] a gateway whose port another program has gets another port and a new token', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { gateway, statusWith } = await open(t, port);
  assert.notEqual(gateway.port, port);
  assert.equal(gateway.isMoved, true);
  assert.deepEqual([await statusWith('known'), await statusWith('fresh1')], [401, 200]);
});

test('[GW17] a gateway without a preferred port keeps its token', async (t) => {
  const { gateway, statusWith, created } = await open(t);
  assert.deepEqual([gateway.isMoved, created(), await statusWith('known')], [false, 0, 200]);
});
