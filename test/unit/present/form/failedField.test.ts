import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../../src/core/base/hostError.js';
import { failedField } from '../../../../src/core/present/form/failedField.js';

const exited = (data: object) => new HostError('exited', 'It ended.', { data });
const spawnFailed = (why: 'not-found' | 'no-folder') =>
  new HostError('spawn-failed', 'No.', { data: { command: 'nodeX', why } });
const local = { command: 'node', args: ['--quiet', '/gone/server.js'], cwd: '/x', env: {} };

test('the failure of a missing file is shown at its argument', () => {
  assert.equal(failedField(exited({ missing: { file: '/gone/server.js' } }), local), '/args/1');
  const relative = { ...local, args: ['server.js'] };
  assert.equal(
    failedField(exited({ missing: { file: '/x/server.js', argument: 'server.js', cwd: '/x' } }), relative),
    '/args/0',
  );
  // An argument with a variable differs from the file.
  assert.equal(
    failedField(exited({ missing: { file: '/x/a.js' } }), { command: 'node', args: ['${userHome}/a.js'] }),
    '/args',
  );
});

test('a missing command, a missing folder, and a missing variable are shown at their fields', () => {
  assert.equal(failedField(spawnFailed('not-found'), local), '/command');
  assert.equal(failedField(spawnFailed('no-folder'), local), '/cwd');
  const crash = exited({ stderr: ['Error: Missing required environment variable ACME_KEY'] });
  assert.equal(failedField(crash, local), '/env');
});

test('a remote server that does not answer points to its address, a refused key to the headers', () => {
  const remote = { url: 'http://127.0.0.1:9', headers: {} };
  assert.equal(failedField(new HostError('connection-refused', 'No.', {}), remote), '/url');
  const refused = new HostError('auth-failed', 'No.', { data: { sentHeader: 'Authorization' } });
  assert.equal(failedField(refused, remote), '/headers');
});

test('other failures, and fields that the definition does not have, point to none', () => {
  assert.equal(failedField(new Error('Some error'), local), undefined);
  assert.equal(failedField(exited({ code: 1 }), local), undefined);
  assert.equal(failedField(spawnFailed('no-folder'), { command: 'node' }), undefined);
});
