import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { StartOutput } from '../../../src/core/session/startOutput.js';
import { StdioTransport } from '../../../src/core/transport/stdio/stdioTransport.js';
import type { TransportSink } from '../../../src/core/transport/transport.js';
import { onlyPosix } from '../../support/platform.js';
import { ScriptedServer, silence } from '../../support/scriptedServer.js';

const fixture = path.resolve('test/fixtures/servers/odd.mjs');
const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-start-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a session with the process of `script`, with an unknown era; each start adds a line to a file. */
async function open(name: string, script: string) {
  const counter = path.join(folder, name);
  const stderr: string[] = [];
  const args = ['-c', `echo >> "${counter}"; ${script}`, 'sh', process.execPath, fixture];
  const opening = McpSession.open(
    () => new StdioTransport({ command: 'sh', args, env: { PATH: process.env['PATH'] ?? '' }, cwd: folder }),
    {
      client: { name: 'test', version: '1' },
      listener: { onStderr: (line) => stderr.push(line.replace(/\d+/g, 'N')) },
    },
  );
  const outcome = await opening.then(
    async (session) => {
      await session.close();
      return session.identity.era;
    },
    (error: HostError) => error.message,
  );
  return { outcome, stderr, starts: readFileSync(counter, 'utf8').length };
}

describe('output of a server that is started twice', () => {
  for (const isLate of [false, true])
    test(`is passed on once${isLate ? ', even if that of the first start is read last' : ''}`, () => {
      const lines: string[] = [];
      const output = new StartOutput({ onStderr: (line) => lines.push(line) });
      const first = output.next();
      output.startAgain(undefined);
      const second = output.next();
      for (const start of isLate ? [second, first] : [first, second]) start.onStderr?.('starting (process 7)');
      second.onStderr?.('ready');
      second.onStderr?.('ready');
      assert.deepEqual(lines, ['starting (process 7)', 'ready', 'ready']);
    });
});

test('[P3] a line of the second start that is read after the handshake is not passed on again', async () => {
  const server = new ScriptedServer().legacy();
  server.respondTo('server/discover', async () => {
    await server.hangUp();
    return silence;
  });
  const sinks: TransportSink[] = [];
  const lines: string[] = [];
  const session = await McpSession.open(
    () => {
      const transport = server.openTransport();
      const open = transport.open.bind(transport);
      return Object.assign(transport, {
        open: (sink: TransportSink) => {
          sinks.push(sink);
          if (sinks.length === 1) sink.onStderr?.('starting (process 1)');
          return open(sink);
        },
      });
    },
    { client: { name: 'test', version: '1' }, listener: { onStderr: (line) => lines.push(line) } },
  );
  for (const line of ['starting (process 2)', 'starting (process 2)', 'ready', 'ready']) sinks[1]?.onStderr?.(line);
  assert.deepEqual([sinks.length, lines], [2, ['starting (process 1)', 'starting (process 2)', 'ready', 'ready']]);
  await session.close();
});

describe('a server of unknown era', onlyPosix('it runs shell scripts'), () => {
  test('[P3] that cannot start reports its last output once', async () => {
    assert.deepEqual(await open('broken', 'exec "$1" "$2" exit-on-start'), {
      outcome: 'The server process ended with code 3: cannot find the configuration',
      stderr: ['cannot find the configuration'],
      starts: 2,
    });
  });

  test('that ends on the unknown first request is started again, and its repeated output is omitted', async () => {
    assert.deepEqual(await open('older', 'exec "$1" "$2" exit-on-discover'), {
      outcome: 'legacy',
      stderr: ['starting (process N)', 'expected initialize, got server/discover (process N)'],
      starts: 2,
    });
  });

  test('[P3] that the shell cannot find is not started twice', async () => {
    const { outcome, starts } = await open('missing', 'exec no-such-program-at-all');
    assert.match(outcome, /^The server process ended with code 127: .*not found/);
    assert.equal(starts, 1);
  });
});
