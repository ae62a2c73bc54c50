import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** The script for any collection of tools, here applied to our own tools in the shapes found in public servers. */
test('[X4] tools of every draft draw a usable form, and accepted arguments survive schema, form and JSON', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    'test/corpus/forms.mjs',
    'test/fixtures/schemas/tools.json',
  ]);
  assert.equal(stderr, '');
  assert.match(stdout, /schemas: 17,/);
  assert.doesNotMatch(stdout, /^(json|note) /m);
});

test('the bundle is four functions and has no dependencies', async () => {
  const script = `const model = await import('./dist/form-model.mjs'); console.log(Object.keys(model).sort().join())`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(stdout.trim(), 'formFromSchema,formToValue,validate,valueToForm');
});
