/** Servers that a policy blocks are not imported. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivalRefusal, withoutBlocked } from '../../../src/core/interchange/blockedArrivals.js';
import { failureLine } from '../../../src/core/present/failure/failureText.js';
import { blockedBy, readPolicy, subjectOf, vsCodePolicySettings } from '../../../src/core/registry/serverPolicy.js';

const rules = readPolicy(
  [
    { owner: 'organization', denied: [{ serverCommand: ['npx', 'shady'] }] },
    { owner: 'workspace', denied: [{ serverUrl: 'https://*.shady.test/*' }] },
  ],
  vsCodePolicySettings,
);
const find = (...[name, definition]: Parameters<typeof subjectOf>) => blockedBy(rules, subjectOf(name, definition));

test('[policy.arrival] an import leaves out blocked servers and reports the rule', () => {
  const servers = [
    { name: 'a', fields: { command: 'npx', args: ['fine'] } },
    { name: 'b', fields: { command: 'npx', args: ['shady'] } },
    { name: 'c', fields: { url: 'https://mcp.shady.test/mcp' } },
  ];
  const left = withoutBlocked({ servers, inputs: [], losses: [], unusable: [] }, find, (error) =>
    failureLine(error, undefined),
  );
  assert.deepEqual(
    left.servers.map(({ name }) => name),
    ['a'],
  );
  assert.deepEqual(left.unusable, [
    {
      name: 'b',
      reason:
        'The server "b" is blocked by your organization. "chat.mcp.deniedServers" contains {"serverCommand":["npx","shady"]}. Ask your administrator to allow the server.',
    },
    {
      name: 'c',
      reason:
        'The server "c" is blocked by a setting. "chat.mcp.deniedServers" in the settings of the workspace contains {"serverUrl":"https://*.shady.test/*"}. To use the server, change the setting.',
    },
  ]);
});

test('[policy.arrival] fields that are not a server are refused for another reason', () => {
  assert.equal(arrivalRefusal({ name: 'x', fields: { command: 3 } }, find), undefined);
});
