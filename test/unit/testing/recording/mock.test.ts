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
    for (const [transport, supported] of [
      ['http', eras],
      // HTTP+SSE exists in the legacy era only, and the newer SDK does not have it.
      ['sse', ['legacy']],
    ] as const) {
      const mock = startCli(t, ['mock', file, '--transport', transport], folder);
      const address = await httpAddress(mock);
      for (const era of supported) {
        const session = await connectSdk(era, address);
        const seen = await useEverything(session);
        // A client of HTTP+SSE that is not closed connects again and again.
        await session.client.close();
        assert.deepEqual(seen, expected, `${transport}, ${era}`);
      }
      mock.child.kill('SIGTERM');
      const [code] = (await once(mock.child, 'close')) as [number | null];
      assert.equal(code, 0, mock.stderr());
    }
  });
}
