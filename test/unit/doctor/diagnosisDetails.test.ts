import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';
import type { Check } from '../../../src/core/doctor/check.js';
import { failed, ok, skipped } from '../../../src/core/doctor/check.js';
import { diagnosisDetails } from '../../../src/core/doctor/diagnosisDetails.js';
import { diagnoseAt, odd } from './diagnosing.js';
import { headlessHost } from '../../support/headlessHost.js';

const reading = { state: 'done' as const, isBuiltIn: false };
const buttons = (check: Check, error?: Error) =>
  diagnosisDetails({ ...reading, checks: [check], error }).lines[0]?.buttons.map(({ label }) => label);

test('each check offers its fix as a button, and a file that it found as a link', () => {
  assert.deepEqual(buttons(failed('command', 'It is not there.', 'Install it.')), ['Edit Server…']);
  assert.deepEqual(buttons(failed('trust', 'No.', 'Review it.')), ['Review…']);
  assert.deepEqual(buttons(failed('sign-in', '401', 'Add a key.')), ['Set API Key…', 'Sign In…', 'Edit Server…']);
  assert.deepEqual(buttons({ ...ok('files', 'It exists.'), file: '/opt/x.js' }), ['Open File']);
  assert.deepEqual(buttons(ok('configuration', 'It can be read.')), ['Open Configuration']);
  assert.deepEqual(buttons({ ...failed('handshake', 'Late.', 'Add it.'), change: { protocol: 'legacy' } }), [
    'Add to Definition',
    'Try Again',
    'Show Log',
  ]);
  assert.deepEqual(buttons(skipped('files', 'Nothing to check.')), []);
  const crash = new HostError('exited', 'x', { data: { code: 1, stderr: ['Error: ACME_KEY is not set'] } });
  assert.deepEqual(buttons(failed('handshake', 'It ended.', 'Set it.'), crash), [
    'Set ACME_KEY…',
    'Edit Server…',
    'Show Log',
    'Try Again',
  ]);
});

test('a running diagnosis shows the check in progress last', () => {
  const { lines, summary } = diagnosisDetails({
    ...reading,
    state: 'running',
    checks: [ok('configuration', 'It can be read.')],
    step: 'runtime',
  });
  assert.deepEqual(
    [summary, lines.map(({ id, outcome }) => `${id} ${outcome}`)],
    ['Checking…', ['configuration ok', 'runtime running']],
  );
});

test('checks are reported one by one while the diagnosis runs', async () => {
  const { host } = headlessHost({ servers: { sick: { command: 'node', args: odd('ok') } } });
  await host.open();
  const seen: string[] = [];
  const { checks } = await diagnoseAt(host, { onCheck: ({ id }) => seen.push(id) });
  assert.deepEqual(
    seen,
    checks.map(({ id }) => id),
  );
  await host.close();
});
