import { describe, test } from 'node:test';
import { draws, group } from './draws.js';

describe('null', () => {
  test('is another value of the same field', () => {
    draws(
      group(
        {
          a: { type: ['string', 'null'], default: null },
          b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
          c: { type: 'string', nullable: true },
          d: { anyOf: [{ enum: ['x', 'y'] }, { type: 'null' }] },
          e: { type: 'null' },
          f: { oneOf: [{ type: 'null' }, { $ref: '#/$defs/o' }] },
        },
        { $defs: { o: group({ x: { type: 'number' } }, { additionalProperties: false }) } },
      ),
      [
        '*. object',
        '  a "A" text isNullable default=null',
        '  b "B" number isInteger isNullable',
        '  c "C" text isNullable',
        '  d "D" choice x|y|null',
        '  e "E" constant label=null',
        '  f "F" object isNullable',
        '    x "X" number isInteger=false',
      ],
    );
  });
});

describe('variants', () => {
  test('are distinguished by the kind of the value', () => {
    draws(
      group({
        id: { type: ['string', 'number'] },
        to: {
          anyOf: [{ type: 'string', format: 'email' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
        },
      }),
      [
        '*. object',
        '  id "ID" variant',
        '    *or "Text" text',
        '    *or "Number" number isInteger=false',
        '  to "To" variant isNullable',
        '    *or "Text" text format=email placeholder="name@example.org"',
        '    *or "List of strings" list',
        '      *[…] text',
      ],
    );
  });

  test('are named by the discriminating value, the title, or the name of the definition', () => {
    draws(
      group(
        {
          a: {
            oneOf: [group({ type: { const: 'insert' }, at: { type: 'number' } }), group({ type: { const: 'delete' } })],
          },
          b: {
            anyOf: [
              { title: 'By name', type: 'string' },
              { title: 'By number', type: 'integer' },
            ],
          },
          c: { oneOf: [{ $ref: '#/$defs/pageParent' }, { $ref: '#/$defs/spaceParent' }] },
        },
        {
          $defs: { pageParent: group({ page: { type: 'string' } }), spaceParent: group({ space: { type: 'string' } }) },
        },
      ),
      [
        '*. object',
        '  a "A" variant',
        '    *or "insert" object',
        '      type "Type" constant value=insert label=insert',
        '      at "At" number isInteger=false',
        '    *or "delete" object',
        '      type "Type" constant value=delete label=delete',
        '  b "B" variant',
        '    *or "By name" text',
        '    *or "By number" number isInteger',
        '  c "C" variant',
        '    *or "Page parent" object',
        '      page "Page" text',
        '    *or "Space parent" object',
        '      space "Space" text',
      ],
    );
  });

  test('keywords beside the choice apply to each variant', () => {
    draws(
      group(
        {
          name: { type: 'string' },
        },
        {
          required: ['name'],
          oneOf: [
            { title: 'File', properties: { path: { type: 'string' } }, required: ['path'] },
            { title: 'Link', properties: { url: { type: 'string' } } },
          ],
        },
      ),
      [
        '*. variant',
        '  *or "File" object',
        '    *name "Name" text',
        '    *path "Path" text picker="any"',
        '  *or "Link" object',
        '    *name "Name" text',
        '    url "URL" text',
      ],
    );
  });

  test('text variants are merged into one text, and number variants into one number', () => {
    draws(
      group({
        a: {
          anyOf: [
            { type: 'string', format: 'uuid' },
            { type: 'string', maxLength: 5 },
          ],
        },
        b: { anyOf: [{ enum: ['auto', 'off'] }, { type: 'string' }] },
        c: { oneOf: [{ type: 'integer' }, { type: 'number', maximum: 1 }] },
      }),
      ['*. object', '  a "A" text', '  b "B" text suggests auto|off', '  c "C" number isInteger=false'],
    );
  });

  test('nested choices are merged into one choice', () => {
    draws(
      group({
        a: {
          anyOf: [
            { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
            { oneOf: [{ type: 'number' }, { type: 'null' }] },
          ],
        },
      }),
      [
        '*. object',
        '  a "A" variant isNullable',
        '    *or "Text" text',
        '    *or "True or false" switch',
        '    *or "Number" number isInteger=false isNullable',
      ],
    );
  });

  test('a schema that allows anything has a variant for each type', () => {
    draws({}, ['*. variant isAny isNullable']);
  });
});

describe('references', () => {
  test('to the schema itself have a child only when it is added', () => {
    draws(
      {
        $ref: '#/$defs/node',
        $defs: {
          node: group(
            { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            { required: ['name'], additionalProperties: false },
          ),
        },
      },
      ['*. object', '  *name "Name" text', '  children "Children" list', '    *[…] object', '      …'],
    );
  });

  test('keywords beside a reference override it', () => {
    draws(
      group(
        {
          a: { $ref: '#/definitions/t', description: 'here' },
          b: { $ref: '#/definitions/t' },
        },
        { definitions: { t: { type: 'string', title: 'There', description: 'there' } } },
      ),
      ['*. object', '  a "There" text description="here"', '  b "There" text description="there"'],
    );
  });

  test('are found by anchor and identifier', () => {
    draws(
      group(
        {
          a: { $ref: '#text' },
          b: { $ref: 'http://example.org/root.json#/$defs/flag' },
          c: { $ref: 'inner.json#/$defs/own' },
          d: { $ref: '#old' },
        },
        {
          $id: 'http://example.org/root.json',
          $defs: {
            t: { $anchor: 'text', type: 'string' },
            flag: { type: 'boolean' },
            old: { $id: '#old', type: 'integer' },
            inner: {
              $id: 'http://example.org/inner.json',
              $defs: { own: { $ref: '#/$defs/deeper' }, deeper: { type: 'number' } },
            },
          },
        },
      ),
      ['*. object', '  a "A" text', '  b "B" switch', '  c "C" number isInteger=false', '  d "D" number isInteger'],
    );
  });

  test('allOf is merged', () => {
    draws(
      {
        allOf: [
          { $ref: '#/$defs/a' },
          group({ b: { type: 'number', minimum: 2 } }, { required: ['a'] }),
          { properties: { b: { maximum: 9 } } },
        ],
        $defs: { a: group({ a: { type: 'string' } }) },
      },
      ['*. object', '  *a "A" text', '  b "B" number isInteger=false minimum=2 maximum=9 placeholder="2 to 9"'],
    );
  });
});
