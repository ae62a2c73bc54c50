/** Whose values of VS Code's settings count as rules about servers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicySubject } from '../../../../src/core/registry/serverMatcher.js';
import {
  blockedBy,
  ownPolicySettings,
  readPolicy,
  vsCodePolicySettings,
} from '../../../../src/core/registry/serverPolicy.js';
import { policyValues } from '../../../../src/vscode/adapters/policyValues.js';
import type { WrittenSetting } from '../../../../src/vscode/adapters/settingPolicy.js';

const files: PolicySubject = { name: 'files', command: ['files-server'] };
const allow = [{ serverName: 'files' }];
const other = [{ serverName: 'other' }];

/** As VS Code reports settings without a policy. */
const defaults: Record<string, unknown> = { 'chat.mcp.access': 'all', 'chat.mcp.allowedServers': null };

const decide = (values: Record<string, WrittenSetting>, inFolders: ((key: string) => unknown)[] = []) => {
  const written = policyValues(
    vsCodePolicySettings,
    (key) => ({ defaultValue: defaults[key], ...values[key] }),
    inFolders,
  );
  const blocked = blockedBy(readPolicy(written, vsCodePolicySettings), files);
  return blocked && `${blocked.owner}: ${blocked.setting}`;
};

const rows: [what: string, values: Record<string, WrittenSetting>, blocked: string | undefined][] = [
  ['the defaults of VS Code block nothing', {}, undefined],
  [
    'the value of a policy, which VS Code reports as the default',
    { 'chat.mcp.access': { defaultValue: 'none', globalValue: 'all', globalLocalValue: 'all', workspaceValue: 'all' } },
    'organization: chat.mcp.access',
  ],
  [
    'a policy with a list, although the user allows the server',
    { 'chat.mcp.allowedServers': { defaultValue: other, globalValue: allow, globalLocalValue: allow } },
    'organization: chat.mcp.allowedServers',
  ],
  [
    'the user',
    { 'chat.mcp.deniedServers': { globalValue: allow, globalLocalValue: allow } },
    'user: chat.mcp.deniedServers',
  ],
  [
    'the remote machine, which does not replace the list of the user',
    {
      'chat.mcp.allowedServers': { globalValue: allow, globalLocalValue: other, globalRemoteValue: allow },
    },
    'user: chat.mcp.allowedServers',
  ],
  [
    'the remote machine',
    { 'chat.mcp.access': { globalValue: 'none', globalRemoteValue: 'none' } },
    'machine: chat.mcp.access',
  ],
  ['the workspace', { 'chat.mcp.access': { workspaceValue: 'registry' } }, 'workspace: chat.mcp.access'],
  [
    'the workspace does not replace the list of the user',
    { 'chat.mcp.allowedServers': { globalValue: other, globalLocalValue: other, workspaceValue: allow } },
    'user: chat.mcp.allowedServers',
  ],
];

for (const [what, values, blocked] of rows)
  test(`[policy.sources] ${what}: ${blocked ?? 'allowed'}`, () => assert.equal(decide(values), blocked));

test('[policy.sources] each folder of a workspace file can narrow the lists', () => {
  assert.equal(
    decide({}, [() => undefined, (key) => (key === 'chat.mcp.deniedServers' ? allow : undefined)]),
    'workspace: chat.mcp.deniedServers',
  );
});

test('[policy.sources] the lists of MCP Deck have the same format, and a blocked server names the list', () => {
  const settingsOf = (written: Record<string, WrittenSetting>) =>
    readPolicy(
      policyValues(ownPolicySettings, (key) => written[key] ?? { defaultValue: null }),
      ownPolicySettings,
    );
  const decideBy = (written: Record<string, WrittenSetting>) => {
    const blocked = blockedBy(settingsOf(written), files);
    return blocked && `${blocked.owner}: ${blocked.setting}`;
  };
  assert.equal(decideBy({}), undefined);
  assert.equal(decideBy({ 'mcpDeck.allowedServers': { globalValue: allow } }), undefined);
  assert.equal(decideBy({ 'mcpDeck.allowedServers': { globalValue: [] } }), 'user: mcpDeck.allowedServers');
  const denied = { 'mcpDeck.deniedServers': { globalRemoteValue: allow, globalValue: allow } };
  assert.equal(decideBy(denied), 'machine: mcpDeck.deniedServers');
});
