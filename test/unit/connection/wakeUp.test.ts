import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { BrokenNetwork } from '../../support/brokenNetwork.js';
import { headlessHost } from '../../support/headlessHost.js';
import { ManualClock } from '../../support/manualClock.js';
import type { RemoteEcho, RemoteKind } from '../../support/remoteEcho.js';
import { startRemoteEcho } from '../../support/remoteEcho.js';
import { contentText } from '../survive/hostileTable.js';

/**
 * A laptop is closed for an hour, with real sockets. During the sleep the connection to one server was dropped
 * silently, as a router does with an idle connection; the connection to the other server was not. Timers stop during
 * the sleep, the time of day does not.
 */
for (const kind of ['http', 'sse', 'ws'] as const satisfies readonly RemoteKind[]) {
  test(`[recovery, Y1] after a sleep a dead connection (${kind}) is detected and replaced, and a live one is pinged and kept`, async () => {
    const clock = new ManualClock();
    let asleepMs = 0;
    const realNow = Date.now();
    mock.method(Date, 'now', () => realNow + clock.now() + asleepMs);
    const [dead, alive] = [await serverBehindNetwork(kind), await serverBehindNetwork(kind)];
    const { host, logs } = headlessHost({
      servers: { dead: dead.definition, alive: alive.definition },
      clock,
      settings: { restartOnCrash: true },
    });
    const call = async (server: string, text: string) =>
      contentText(await host.calls.runTool({ server, tool: 'echo', arguments: { text } }, { caller: 'user' }));
    /** A second passes. The other server's answer keeps the manual clock from running ahead of real sockets. */
    const second = async () => {
      await clock.advance(1_000);
      assert.equal(await call('alive', 'still'), 'still');
    };
    const isFine = () => {
      const { state, silentSince } = host.servers.get('dead') ?? {};
      return state?.kind === 'running' && silentSince === undefined;
    };
    await host.open();
    try {
      await Promise.all(['dead', 'alive'].map((id) => host.lifecycle.start(id)));
      assert.equal(await call('dead', 'before'), 'before');
      const connectionsBefore = dead.network.connections;

      dead.network.silence();
      asleepMs = 3_600_000;
      for (let seconds = 0; isFine(); seconds++) {
        // A tick of the watch, and the unanswered ping; a heartbeat alone would take longer.
        assert.ok(seconds < 25, `it was not noticed:\n${(logs.get('dead') ?? []).join('\n')}`);
        await second();
      }
      assert.deepEqual(dead.echo.calls, ['before'], 'it was detected without a call of the user');

      await dead.network.mend();
      for (let seconds = 0; !isFine(); seconds++) {
        assert.ok(seconds < 300, `it never reconnected:\n${(logs.get('dead') ?? []).join('\n')}`);
        await second();
      }
      assert.ok(dead.network.connections > connectionsBefore, 'a new connection was opened');
      assert.equal(await call('dead', 'after'), 'after');
      assert.deepEqual(dead.echo.calls, ['before', 'after']);
      assert.equal(alive.echo.handshakes(), 1, 'the live server kept its session');
    } finally {
      mock.restoreAll();
      // Without a network there is nothing to wait for while the clock does not move.
      for (const { network, echo } of [dead, alive]) {
        await network.close();
        await echo.close();
      }
      await host.close();
    }
  });
}

async function serverBehindNetwork(
  kind: RemoteKind,
): Promise<{ echo: RemoteEcho; network: BrokenNetwork; definition: object }> {
  const echo = await startRemoteEcho(kind);
  const network = await BrokenNetwork.start(echo.port);
  return {
    echo,
    network,
    definition: {
      type: kind,
      url: `${kind === 'ws' ? 'ws' : 'http'}://127.0.0.1:${network.port}/mcp`,
      protocol: 'legacy',
    },
  };
}
