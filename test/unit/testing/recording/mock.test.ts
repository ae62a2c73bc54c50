/** Servers of the official SDKs are recorded, and official clients of both eras get the same from the mock. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { folderWith } from '../../../support/cliProcess.js';
import type { ClientEra } from '../../../support/sdkSession.js';
import { connectSdk, httpAddress, startCli, useEverything } from '../../../support/sdkSession.js';

const eras: readonly ClientEra[] = ['legacy', 'modern'];
const file = 'server.mcprecording.jsonl';

const recorded = [
  { server: 'interopSdk1.mjs', protocol: 'legacy' },
  { server: 'interopSdk2.mjs', protocol: '2026-07-28' },
] as const;

for (const { server, protocol } of recorded) {
  test(`a mock of a ${protocol} server gives clients of both eras the recorded answers, questions and progress`, async (t) => {
    const folder = folderWith(t, {});
    const command = `"${process.execPath}" "${path.resolve('test/support', server)}" stdio`;
    const recorder = startCli(t, ['record', '--command', command, '--protocol', protocol, file], folder);
    const original = await connectSdk('legacy', recorder);
    const expected = await useEverything(original);
    await original.client.close();
    assert.match(recorder.stderr(), /Recorded \d+ requests/);
    for (const era of eras) {
      const mock = startCli(t, ['mock', file], folder);
      const session = await connectSdk(era, mock);
      assert.deepEqual(await useEverything(session), expected, `stdio, ${era}`);
      await session.client.close();
    }
    const mock = startCli(t, ['mock', file, '--http'], folder);
    const address = await httpAddress(mock);
    for (const era of eras) {
      const session = await connectSdk(era, address);
      assert.deepEqual(await useEverything(session), expected, `http, ${era}`);
      await session.client.close();
    }
    mock.child.kill('SIGTERM');
    await once(mock.child, 'close');
  });
}
