import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { headlessHost } from '../../support/headlessHost.js';

const odd = path.resolve('test/fixtures/servers/odd.mjs');

/** A host with one server that ends during a call; resolves with the final state of the server. */
async function crash(setting: boolean, definition: object): Promise<{ kind: string; isPlanned: boolean }> {
  const { host } = headlessHost({
    servers: { a: { command: process.execPath, args: [odd, 'exit-mid-call'], ...definition } },
    settings: { restartOnCrash: setting },
  });
  await host.open();
  try {
    await host.lifecycle.start('a');
    await assert.rejects(host.calls.runTool({ server: 'a', tool: 'echo' }, { caller: 'user' }), { code: 'exited' });
    const state = host.servers.get('a')?.state;
    return { kind: state?.kind ?? '', isPlanned: state?.kind === 'failed' && state.retryAt !== undefined };
  } finally {
    await host.close();
  }
}

describe('[P8] a server that crashes is restarted', () => {
  for (const setting of [true, false]) {
    test(`as the setting (${setting}) says, when its definition does not set it`, async () => {
      assert.deepEqual(await crash(setting, {}), { kind: 'failed', isPlanned: setting });
    });

    test(`as its definition says, regardless of the setting (${setting})`, async () => {
      assert.deepEqual(await crash(setting, { restartOnCrash: !setting }), { kind: 'failed', isPlanned: !setting });
    });
  }
});
