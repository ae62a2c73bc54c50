import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { runSuite } from '../../../../src/core/testing/checks/conformance/runSuite.js';

test('a canceled suite ends, even if a process that it left behind holds its output open', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'suite-'));
  const pidFile = path.join(folder, 'pid');
  const left = `
    require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
    console.log('=== Running scenario: left-behind ===');
    setInterval(() => undefined, 1_000);`;
  const suite = path.join(folder, 'suite.cjs');
  // A detached process is in a group and a session of its own, which the end of the suite does not reach.
  await writeFile(
    suite,
    `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(left)}], { detached: true, stdio: 'inherit' }).unref();`,
  );
  t.after(async () => {
    process.kill(Number(await readFile(pidFile, 'utf8')));
    await rm(folder, { recursive: true });
  });
  const canceling = new AbortController();
  const run = runSuite({
    program: { command: process.execPath, args: [suite], isInstalled: true, version: '1.0.0' },
    url: 'http://127.0.0.1:9/mcp',
    revision: '2025-11-25',
    scenarios: [],
    folder,
    env: process.env,
    signal: canceling.signal,
    onScenario: () => canceling.abort(),
  });
  await assert.rejects(run, { code: 'cancelled' });
});
