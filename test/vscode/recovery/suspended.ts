import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeEach, suite, test } from '../runner.js';
import { command, drawn, failureOf, stateOf, textOf, until } from '../support/host.js';
import type { ServerProcess } from '../support/processes.js';
import { processOf, serverProcessTable } from '../support/processes.js';
import { assertNeighbourAnswers } from './neighbour.js';

const call = () => command('mcpDeck.runTool', { server: 'patientless', tool: 'echo', arguments: { text: 'awake' } });

suite('recovery: a server is suspended', () => {
  let suspended: ServerProcess;

  beforeEach(async () => {
    await command('mcpDeck.startServer', { server: 'patientless' });
    suspended = await processOf('patientless');
    process.kill(suspended.pid, 'SIGSTOP');
  });
  afterEach(async () => {
    await command('mcpDeck.stopServer', { server: 'patientless' });
  });
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('a call times out with the duration and what to do; the other server answers', async () => {
    const error = await failureOf(call());
    await assertNeighbourAnswers();
    assert.deepEqual(
      [
        error.code,
        /^The server "patientless" did not respond to tools\/call within \d+ ms\. The server might be busy or stuck/.test(
          error.message,
        ),
      ],
      ['timeout', true],
      error.message,
    );
  });

  test('[Y1, Y2] the tree shows that it does not answer, and that it answers again after it resumes; the process is the same', async () => {
    await failureOf(call());
    await until('the tree shows it', async () =>
      /^\(warning\) patientless {2}not responding for \d+ s\n {2}\(info\) {3}The process runs but does not respond/.test(
        await drawn('patientless'),
      ),
    );
    process.kill(suspended.pid, 'SIGCONT');
    await until('it answers again', async () =>
      (await drawn('patientless')).startsWith('(circle-filled) patientless  stdio · 3 tools\n'),
    );
    assert.deepEqual([textOf(await call()), await processOf('patientless')], ['awake', suspended]);
  });

  test('[Y4] Stop ends it', async () => {
    await command('mcpDeck.stopServer', { server: 'patientless' });
    const left = (await serverProcessTable()).filter(({ pid }) => pid === suspended.pid);
    assert.deepEqual([await stateOf('patientless'), left], ['stopped', []]);
  });

  test('[Y4] Restart replaces it', async () => {
    await command('mcpDeck.restartServer', { server: 'patientless' });
    assert.equal(textOf(await call()), 'awake');
    assert.notEqual((await processOf('patientless')).pid, suspended.pid);
  });
});
