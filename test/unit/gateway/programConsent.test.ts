import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ConfigurationFile } from '../../../src/cli/configurationFile.js';
import { programConsent } from '../../../src/cli/programConsent.js';

async function isAllowed(rules: unknown, name: string, client?: string): Promise<boolean> {
  const admitted = programConsent(() => rules).admit(
    {
      server: { id: 's', hash: 'h', origin: 'user' },
      tool: { name, inputSchema: {} },
      isListed: true,
      arguments: {},
      ...(client === undefined ? { caller: 'script' } : { caller: 'agent', client }),
      isAnswered: false,
      isApi: true,
      asksAtOnce: undefined,
      onAsk: undefined,
      secretArguments: new Set(),
      secrets: [],
    },
    () => undefined,
  );
  return admitted.then(
    () => true,
    () => false,
  );
}

test('[GW9] a rule that cannot be read denies, because there is no user to ask', async () => {
  assert.deepEqual(
    [
      await isAllowed(undefined, 'delete_x'),
      await isAllowed([{ effect: 'deny', tool: 'delete_*' }], 'delete_x'),
      await isAllowed([{ effect: 'deny', tool: 'delete_*' }], 'read'),
      await isAllowed([{ effect: 'ask', tool: 'delete_*' }], 'delete_x'),
      await isAllowed([{ effect: 'Deny', tool: 'delete_*' }], 'delete_x'),
      await isAllowed({ effect: 'deny', tool: 'delete_*' }, 'delete_x'),
      await isAllowed(['deny'], 'read'),
    ],
    [true, false, true, true, false, false, false],
  );
});

test('[GW12] without a window, a rule denies the clients that it names', async () => {
  const rules = [{ effect: 'deny', tool: 'delete_*', callers: ['agent'], clients: ['codex'] }];
  assert.deepEqual(
    [await isAllowed(rules, 'delete_x', 'codex'), await isAllowed(rules, 'delete_x', 'other')],
    [false, true],
  );
});

test('[GW9] while the file is broken, its last rules stay', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-rules-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const name = path.join(folder, 'mcp.json');
  const broken = '{"servers":{}, "rules": [{"effect":"den';
  const file = new ConfigurationFile(name);
  writeFileSync(name, broken);
  await file.read();
  assert.equal(await isAllowed(file.rules, 'read'), false, 'rules that were never read deny');
  writeFileSync(name, '{"rules": [{"effect": "deny", "tool": "delete_*"}]}');
  await file.read();
  writeFileSync(name, broken);
  await file.read();
  assert.deepEqual([await isAllowed(file.rules, 'delete_x'), await isAllowed(file.rules, 'read')], [false, true]);
  file.dispose();
});
