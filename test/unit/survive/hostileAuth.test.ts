import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LocalLock } from '../../../src/core/auth/authLock.js';
import { LoopbackReceiver } from '../../../src/core/auth/loopbackReceiver.js';
import { FakeBrowser } from '../../support/authClient.js';
import type { HeadlessHost } from '../../support/headlessHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { MemorySecrets } from '../../support/memorySecrets.js';
import { authCases, laterTime } from './authCases.js';
import { makeBench, readJournal, survive } from './hostileTable.js';

/**
 * The same for servers that require a sign-in, and for deceptive authorization servers: one host whose user agrees to
 * everything, and no server leads it to the trap.
 */
const program = path.resolve('test/fixtures/servers/hostile/net.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'deck-hostile-'));
const journalFile = path.join(folder, 'journal.jsonl');
const good = 'good';

describe('a hostile sign-in', { concurrency: 3 }, () => {
  let headless: HeadlessHost;
  /** For the cases that advance time. */
  let later: HeadlessHost;
  let child: ChildProcess;
  const browser = new FakeBrowser();
  const opened = (mode: string) => browser.shown.filter(({ url }) => url.includes(`/${mode}/`)).length;

  before(async () => {
    child = spawn(process.execPath, [program, journalFile], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer];
    const { base } = JSON.parse(String(line)) as { base: string };
    const definition = (mode: string) => ({ type: 'http', url: `${base}/${mode}/mcp` });
    const open = async (takesTime: boolean) => {
      const cases = authCases.filter((one) => (one.takesTime ?? false) === takesTime);
      const opened = headlessHost({
        servers: {
          [good]: definition('http-ok'),
          ...Object.fromEntries(cases.map(({ mode }) => [mode, definition(mode)])),
        },
        ports: {
          signIn: () =>
            Promise.resolve({
              secrets: new MemorySecrets(),
              lock: new LocalLock(),
              openBrowser: browser.open,
              receiver: new LoopbackReceiver(),
              askClient: () => Promise.resolve(undefined),
            }),
        },
        ...(takesTime ? { clock: laterTime } : {}),
      });
      await opened.host.open();
      await opened.host.lifecycle.start(good);
      return opened;
    };
    [headless, later] = [await open(false), await open(true)];
  });
  after(async () => {
    await Promise.all([headless.host.close(), later.host.close()]);
    child.stdin?.end();
    await once(child, 'exit');
    const trapped = readJournal(journalFile).filter(({ event }) => event === 'trap');
    rmSync(folder, { recursive: true });
    assert.deepEqual(trapped, []);
  });

  for (const hostile of authCases) {
    const { mode, proves, journal, takesTime } = hostile;
    test(`${proves} ${mode}`, async () => {
      const { host } = takesTime ? later : headless;
      await survive(
        hostile,
        makeBench(takesTime ? later : headless, mode, () =>
          readJournal(journalFile).filter((row) => row['mode'] === mode),
        ),
        good,
      );
      assert.equal(opened(mode), journal['authorize'] ?? 0, 'number of times that the browser was opened');
      // Whether it starts depends on the current sign-ins; no question is shown in any case.
      await host.lifecycle.start(mode, { interactive: false }).catch(() => undefined);
      assert.equal(opened(mode), journal['authorize'] ?? 0, 'an automatic start opened the browser');
      await host.lifecycle.stop(mode);
    });
  }
});
