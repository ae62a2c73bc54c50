import assert from 'node:assert/strict';
import { BrokenNetwork } from '../../support/brokenNetwork.js';
import type { RemoteEcho, RemoteKind } from '../../support/remoteEcho.js';
import { startRemoteEcho, unanswered } from '../../support/remoteEcho.js';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import { command, defineServers, drawn, failureOf, textOf, until } from '../support/host.js';
import { assertNeighbourAnswers } from './neighbour.js';

/**
 * The tree line while the network is down: on Streamable HTTP the session survives, the other transports lose their
 * stream.
 */
const lostLine: Record<RemoteKind, RegExp> = {
  http: /^\(warning\) http {2}not responding for \d+ s\n {2}\(info\) {3}The server cannot be reached or does not respond/,
  sse: /^\(error\) sse {2}.*, starting again in \d+ s\n/,
  ws: /^\(error\) ws {2}.*, starting again in \d+ s\n/,
};

for (const kind of ['http', 'sse', 'ws'] as const) {
  suite(`recovery: the network of a remote server breaks (${kind})`, () => {
    let server: RemoteEcho;
    let network: BrokenNetwork;
    let undo: () => Promise<void>;
    const call = (text: string) => command('mcpDeck.runTool', { server: kind, tool: 'echo', arguments: { text } });
    const isFine = async () => (await drawn(kind)).startsWith(`(circle-filled) ${kind}  ${kind} · 1 tool\n`);

    beforeAll(async () => {
      server = await startRemoteEcho(kind);
      network = await BrokenNetwork.start(server.port);
      const url = `${kind === 'ws' ? 'ws' : 'http'}://127.0.0.1:${network.port}/mcp`;
      undo = await defineServers({
        [kind]: { type: kind, url, protocol: 'legacy', timeoutMs: 1_000, startTimeoutMs: 2_000 },
      });
    });
    beforeEach(async () => {
      await command('mcpDeck.startServer', { server: kind });
      server.calls.length = 0;
    });
    afterEach(async () => {
      await network.mend();
      await command('mcpDeck.stopServer', { server: kind });
    });
    afterAll(async () => {
      await undo();
      await network.close();
      await server.close();
    });

    test('[Y1, Y2, H3] cut: the open call fails once, the tree shows it, and the server recovers with the network', async () => {
      const open = failureOf(call(unanswered));
      await until('the call has arrived', () => server.calls.length === 1);
      await network.cut();
      const error = await open;
      assert.equal(error.code, 'closed', error.message);
      await until('the tree shows it', async () => lostLine[kind].test(await drawn(kind)));
      await assertNeighbourAnswers();
      await network.mend();
      await until('the server is back', isFine);
      assert.deepEqual([textOf(await call('again')), server.calls], ['again', [unanswered, 'again']]);
    });

    test('[Y1, Y2] silent: a half-open connection is detected by the call that times out, and the server recovers', async () => {
      network.silence();
      const error = await failureOf(call('lost'));
      assert.deepEqual(
        [error.code, error.message.startsWith(`The server "${kind}" did not respond to tools/call within `)],
        ['timeout', true],
        error.message,
      );
      await until('the tree shows it', async () =>
        new RegExp(`^\\(warning\\) ${kind} {2}not responding for \\d+ s\\n`).test(await drawn(kind)),
      );
      await assertNeighbourAnswers();
      await network.mend();
      await until('the server is back', isFine);
      assert.deepEqual([textOf(await call('again')), server.calls], ['again', ['again']]);
    });

    test('delayed: the call waits and is answered, and was sent once', async () => {
      network.hold();
      const answer = call('late');
      await assertNeighbourAnswers();
      await network.mend();
      assert.deepEqual([textOf(await answer), server.calls], ['late', ['late']]);
    });

    test('[H6, H3] truncated: the call whose answer broke off fails once and is not sent again', async () => {
      const text = 'x'.repeat(10_000);
      network.truncateAfter(5_000);
      const error = await failureOf(call(text));
      assert.equal(error.code, 'closed', error.message);
      await assertNeighbourAnswers();
      await network.mend();
      await until('the server is back', isFine);
      assert.deepEqual([textOf(await call('again')), server.calls], ['again', [text, 'again']]);
    });
  });
}
