import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { english } from '../../../src/core/present/localize.js';
import { definitionProblem, readField, serverFields } from '../../../src/core/present/serverFields.js';

const field = (fields: Record<string, unknown>, name: string) => {
  const found = serverFields(fields, english).find((one) => one.name === name);
  assert.ok(found, name);
  return found;
};

test('what a field says is typed back as it was, whatever its words hold', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '\\', '=', '$', '{', 'é'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (args) => {
      const shown = field({ command: 'x', args }, 'args');
      assert.deepEqual(readField(shown, shown.text ?? '', english), { value: args });
    }),
  );
  const env = { A: '', B: 'x y', C_TOKEN: 'hunter2-hunter2' };
  const shown = field({ command: 'x', env }, 'env');
  assert.deepEqual(readField(shown, shown.text ?? '', english), { value: env });
  assert.equal(shown.shown, "A= 'B=x y' C_TOKEN=•••");
});

test('each kind of server has its own fields', () => {
  const names = (fields: Record<string, unknown>) => serverFields(fields, english).map(({ name }) => name);
  assert.deepEqual([names({ command: 'x' })[0], names({ url: 'https://h/' })[0], names({ url: 'https://h/' }).includes('command')], ['command', 'url', false]);
});

test('what cannot be meant is a problem, and an empty line takes the field away', () => {
  const problem = (kind: 'words' | 'pairs' | 'number' | 'flag', text: string) => {
    const read = readField({ kind, name: 'x' }, text, english);
    return 'problem' in read ? read.problem : undefined;
  };
  assert.deepEqual([problem('words', '"a'), problem('pairs', 'a'), problem('number', '-1'), problem('flag', 'yes'), readField({ kind: 'text', name: 'x' }, ' ', english)], ['A quotation mark is not closed.', '"a" is not of the form NAME=value.', 'Type a number above zero.', 'Type true or false.', { value: undefined }]);
  assert.equal(definitionProblem('s', { command: 'x' }), undefined);
  assert.match(definitionProblem('s', { url: 'nowhere' }) ?? '', /has to begin with https/);
});
