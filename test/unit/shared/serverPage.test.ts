import assert from 'node:assert/strict';
import { test } from 'node:test';
import { savedServer, serverFromPageGuards } from '../../../src/shared/serverPage.js';

test('[V5] the page of a server may request only the listed commands', () => {
  const { act, ready } = serverFromPageGuards.notices;
  assert.deepEqual([act({ action: 'restartServer' }), ready({})], [true, true]);
  for (const body of [
    {},
    null,
    [],
    'restartServer',
    { action: 'resetTrust' },
    { action: 'workbench.action.quit' },
    { action: ['restartServer'] },
    { action: '__proto__' },
  ])
    assert.equal(act(body), false, JSON.stringify(body));
});

test('the saved state of a page is a name or nothing', () => {
  assert.equal(savedServer({ server: 's', order: 1 }), 's');
  for (const state of [undefined, null, 's', { server: 3 }, ['s']]) assert.equal(savedServer(state), undefined);
});
