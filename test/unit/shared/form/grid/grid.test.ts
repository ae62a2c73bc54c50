import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formFromSchema } from '../../../../../src/core/formModel.js';
import type { ListNode } from '../../../../../src/shared/form/form.js';
import type { ListState } from '../../../../../src/shared/form/formState.js';
import { stateOf, valueOf } from '../../../../../src/shared/form/formValue.js';
import { canGrid, cellState, cellText, columnsOf } from '../../../../../src/shared/form/grid/gridCells.js';
import { pasteRows } from '../../../../../src/shared/form/grid/gridPaste.js';
import { readTable, writeTable } from '../../../../../src/shared/form/grid/tableText.js';
import { nodeOf, rootPlace } from '../../../../../src/shared/form/places.js';
import type { JsonValue } from '../../../../../src/shared/json.js';

const item = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Full name' },
    age: { type: 'integer' },
    isNew: { type: 'boolean' },
    role: { enum: ['admin', 'guest'] },
    score: { type: ['number', 'null'] },
  },
  required: ['name'],
};
const form = formFromSchema({ type: 'array', items: item });
const node = nodeOf(form, form.root) as ListNode;
const listOf = (rows: JsonValue[]) => stateOf(form, form.root.node, rows) as ListState;

function paste(text: string, before: JsonValue[] = [], at = { row: 0, column: 0 }) {
  const pasted = pasteRows(form, node, listOf(before), text, at);
  return typeof pasted === 'string' ? pasted : { value: valueOf(pasted.list), ignored: pasted.ignored };
}

describe('rows of text', () => {
  test('tabs, commas and semicolons separate cells; quotes protect them', () => {
    assert.deepEqual(readTable('a\tb\r\n1\t"2\n3"\r\n', 2).rows, [
      ['a', 'b'],
      ['1', '2\n3'],
    ]);
    assert.deepEqual(readTable('a,b\n"1,""5""",2', 2).rows, [
      ['a', 'b'],
      ['1,"5"', '2'],
    ]);
    assert.deepEqual(readTable('a;b\n1,5;2', 2), {
      rows: [
        ['a', 'b'],
        ['1,5', '2'],
      ],
      separator: ';',
    });
    assert.deepEqual(readTable('a,b,c', 3).rows, [['a', 'b', 'c']]);
  });

  test('commas in text are no separators', () => {
    assert.deepEqual(readTable('Hello, world', 2).rows, [['Hello, world']]);
    assert.deepEqual(readTable('one, two\nthree', 2).rows, [['one, two'], ['three']]);
    assert.deepEqual(readTable('say "no"\n"open', 1).rows, [['say "no"'], ['"open']]);
  });

  test('every table that is written is read again', () => {
    const cell = fc.stringMatching(/^[a-c ,;"\t\n]{0,6}$/);
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(fc.property(table, (rows) => assert.deepEqual(readTable(`${writeTable(rows)}\n`, 9).rows, rows)));
  });

  test('every CSV is read, whatever its cells contain', () => {
    const table = fc
      .tuple(fc.integer({ min: 2, max: 4 }), fc.constantFrom(',' as const, ';' as const))
      .chain(([width, separator]) =>
        fc.record({
          separator: fc.constant(separator),
          rows: fc.array(fc.array(fc.string({ maxLength: 5 }), { minLength: width, maxLength: width }), {
            minLength: 2,
            maxLength: 5,
          }),
        }),
      );
    fc.assert(
      fc.property(table, ({ separator, rows }) => {
        if (rows.flat().some((cell) => cell.includes('\t'))) return;
        const text = rows
          .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator))
          .join('\r\n');
        assert.deepEqual(readTable(text, 9), { rows, separator });
      }),
    );
  });

  test('any text is read without an error', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('"', '""', ',', ';', '\t', '\n', '\r', 'a'), { maxLength: 20 }), (parts) => {
        const { rows } = readTable(parts.join(''), 2);
        assert.ok(rows.length >= 1 || parts.length > 0);
      }),
    );
  });
});

describe('a list of flat objects as a table', () => {
  test('only lists of flat objects without secrets are tables', () => {
    const isTable = (items: object) => {
      const other = formFromSchema({ type: 'array', items });
      return columnsOf(other, nodeOf(other, other.root)) !== undefined;
    };
    assert.ok(isTable(item));
    assert.ok(!isTable({ type: 'string' }));
    assert.ok(!isTable({ ...item, properties: { ...item.properties, deep: { type: 'object', properties: {} } } }));
    assert.ok(!isTable({ ...item, properties: { ...item.properties, password: { type: 'string' } } }));
    assert.ok(!isTable({ ...item, additionalProperties: { type: 'string' } }));
    assert.ok(canGrid(form, rootPlace(form, listOf([{ name: 'a', age: 'x' }]))));
    assert.ok(!canGrid(form, rootPlace(form, listOf([{ name: 'a', unknown: 1 }]))), 'a property without a column');
  });

  test('cells have the type of their column, and text that does not fit is kept', () => {
    assert.deepEqual(paste('Ada\t36\tyes\tADMIN\tnull\nBob\tmany\tperhaps\tking\t0.5'), {
      value: [
        { name: 'Ada', age: 36, isNew: true, role: 'admin', score: null },
        { name: 'Bob', age: 'many', isNew: 'perhaps', role: 'king', score: 0.5 },
      ],
      ignored: [],
    });
    assert.deepEqual(paste('name;score\nAda;1,5').valueOf(), { value: [{ name: 'Ada', score: 1.5 }], ignored: [] });
  });

  test('a first line with names, or names in JSON, determine the columns of the cells', () => {
    assert.deepEqual(paste('age,Full Name,city\n36,Ada,Bern'), {
      value: [{ name: 'Ada', age: 36 }],
      ignored: ['city'],
    });
    assert.deepEqual(paste('[{"age": 36, "name": "Ada", "city": "Bern"}, {"name": "", },]'), {
      value: [{ name: 'Ada', age: 36 }, { name: '' }],
      ignored: ['city'],
    });
    assert.deepEqual(paste('[["Ada", 36], ["Bob"]]'), {
      value: [{ name: 'Ada', age: 36 }, { name: 'Bob' }],
      ignored: [],
    });
  });

  test('a paste begins at a cell, keeps the others, and adds rows', () => {
    const before = [{ name: 'Ada', age: 1, role: 'guest' }];
    assert.deepEqual(paste('2\n3', before, { row: 0, column: 1 }), {
      value: [{ name: 'Ada', age: 2, role: 'guest' }, { age: 3 }],
      ignored: [],
    });
    assert.deepEqual(paste('a\tb', before, { row: 0, column: 4 }), {
      value: [{ name: 'Ada', age: 1, role: 'guest', score: 'a' }],
      ignored: ['column 2'],
    });
  });

  test('more rows than a table has are refused, and nothing changes', () => {
    const text = Array.from({ length: 1_001 }, (_, index) => `n${index}\t1`).join('\n');
    const refused = paste(text);
    assert.match(typeof refused === 'string' ? refused : '', /^1001 rows do not fit/);
  });

  test('any value of a row is shown and written back', () => {
    const row = fc.record(
      {
        name: fc.string({ minLength: 1 }),
        age: fc.integer(),
        isNew: fc.boolean(),
        role: fc.constantFrom('admin', 'guest'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(row, (value) => {
        const columns = columnsOf(form, node) ?? [];
        const state = listOf([value]).items[0]?.state;
        assert.ok(state);
        for (const column of columns) {
          const member =
            state.kind === 'object' ? state.members.find(({ name }) => name === column.name)?.state : undefined;
          const text = cellText(nodeOf(form, column), member ?? { kind: 'absent' });
          const again = valueOf(cellState(form, column, text));
          assert.deepEqual(again, (value as Record<string, JsonValue>)[column.name]);
        }
      }),
    );
  });
});
