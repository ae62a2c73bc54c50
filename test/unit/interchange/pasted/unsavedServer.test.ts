import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withOpenValues } from '../../../../src/core/interchange/pasted/openValues.js';
import { keptServer, restoredServer } from '../../../../src/core/interchange/pasted/unsavedServer.js';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const pasted = withOpenValues({
  name: 'github',
  fields: { command: 'npx', args: ['-y', 'server'], env: { GITHUB_TOKEN: token, MODE: 'fast' } },
});

test('[paste.secrets] an unsaved server is kept without its secrets, and restored with the inputs for them', () => {
  assert.equal(pasted.secrets[0]?.value, token);
  const kept = JSON.stringify(keptServer({ ...pasted, notes: ['A note.'], place: 'vscode' }));
  assert.ok(!kept.includes(token));
  const restored = restoredServer(JSON.parse(kept));
  assert.deepEqual(restored, {
    ...pasted,
    secrets: [],
    needs: ['GITHUB_TOKEN'],
    notes: ['A note.'],
    place: 'vscode',
  });
  assert.equal(restored?.inputs.length, 1);
});

test('a value that is not a stored server is not restored', () => {
  const kept = keptServer({ ...pasted, notes: [] });
  for (const value of [undefined, null, 'x', {}, { ...kept, server: { name: 1 } }, { ...kept, needs: [1] }])
    assert.equal(restoredServer(value), undefined);
  assert.deepEqual(restoredServer({ ...kept, inputs: 'none', place: 'elsewhere' }), {
    ...pasted,
    inputs: [],
    secrets: [],
    needs: ['GITHUB_TOKEN'],
    notes: [],
  });
});
