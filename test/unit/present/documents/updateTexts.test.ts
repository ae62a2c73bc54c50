import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolChangesText } from '../../../../src/core/present/documents/updateTexts.js';

const tool = (name: string, description = 'Adds.') => ({ name, description, inputSchema: { type: 'object' as const } });

test('the tools that a new version adds, removes, and changes are counted, in any order', () => {
  const before = [tool('add'), tool('drop'), tool('keep')];
  assert.equal(toolChangesText(before, [...before].reverse()), undefined);
  assert.equal(
    toolChangesText(before, [tool('keep'), tool('add', 'Adds tax.'), tool('new')]),
    'Tools: 1 added, 1 removed, 1 changed',
  );
});
