import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formFromSchema } from '../../../../src/core/formModel.js';
import { drawnForm } from '../../../support/drawnForm.js';
import { draws, group } from './draws.js';

describe('objects', () => {
  test('labels come from titles or names, in the order of the schema; a required name without a schema has a field too', () => {
    draws(
      group(
        {
          query: { type: 'string', title: 'What to look for', description: 'Words' },
          maxResults: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
          is_exact: { type: 'boolean', deprecated: true },
          API_KEY: { type: 'string' },
        },
        { required: ['query', 'undescribed'] },
      ),
      [
        '*. object',
        '  *query "What to look for" text description="Words"',
        '  maxResults "Max results" number isInteger minimum=1 maximum=50 default=10 placeholder="1 to 50"',
        '  is_exact "Is exact" switch isDeprecated',
        '  API_KEY "API_KEY" text isSecret',
        '  *undescribed "Undescribed" variant isAny isNullable',
      ],
    );
  });

  test('can contain objects', () => {
    draws(
      group(
        {
          filter: group(
            { since: { type: 'string', format: 'date' } },
            { required: ['since'], additionalProperties: false },
          ),
        },
        { additionalProperties: false },
      ),
      ['*. object', '  filter "Filter" object', '    *since "Since" text format=date placeholder="2026-11-21"'],
    );
  });

  test('a map has its allowed names', () => {
    draws(
      group({
        env: { type: 'object', additionalProperties: { type: 'string' } },
        sizes: { type: 'object', propertyNames: { enum: ['s', 'm'] }, additionalProperties: { type: 'number' } },
        tags: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
      }),
      [
        '*. object',
        '  env "Env" object',
        '    {…} text',
        '  sizes "Sizes" object',
        '    {s|m} number isInteger=false',
        '  tags "Tags" object',
        '    {^[a-z]+$} variant isAny isNullable',
      ],
    );
  });

  test('members have the field of the pattern that their name matches', () => {
    draws(
      {
        type: 'object',
        patternProperties: { '^x-': { type: 'string' }, '^n_': { type: 'number' } },
        additionalProperties: false,
      },
      ['*. object', '  /^x-/ text', '  /^n_/ number isInteger=false', '  {…} text'],
    );
  });

  test('a tool without arguments has no fields', () => {
    draws({ type: 'object' }, ['*. object']);
  });

  test('a forbidden property has no field', () => {
    draws(group({ a: true, b: false }), ['*. object', '  a "A" variant isAny isNullable']);
  });

  test('members that depend on others show the condition', () => {
    draws(
      group(
        {
          kind: { enum: ['url', 'text'] },
          card: { type: 'string' },
          address: { type: 'string' },
        },
        {
          dependentRequired: { card: ['address'] },
          allOf: [
            {
              if: { properties: { kind: { const: 'url' } } },
              then: { required: ['address'], properties: { depth: { type: 'integer' } } },
              else: { properties: { address: false } },
            },
          ],
        },
      ),
      [
        '*. object',
        '  kind "Kind" choice url|text',
        '  card "Card" text',
        '  address "Address" text requiredWith=["card"] (Required when "kind" is "url"; Not used when "kind" is not "url")',
        '  depth "Depth" number isInteger (Used when "kind" is "url")',
      ],
    );
  });

  test('a schema that many members bring in is described by the first three of them', () => {
    const more = { properties: { level: { type: 'integer' } }, required: ['level'] };
    const names = ['a', 'b', 'c', 'd'];
    draws(
      group(Object.fromEntries(names.map((name) => [name, { type: 'string' }])), {
        dependentSchemas: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/more' }])),
        $defs: { more },
      }),
      [
        '*. object',
        ...names.map((name) => `  ${name} "${name.toUpperCase()}" text`),
        '  level "Level" number isInteger (Used when "a" is set; Required when "a" is set; Required when "b" is set)',
      ],
    );
  });

  test('one of several members is required', () => {
    draws(
      group(
        {
          url: { type: 'string' },
          path: { type: 'string' },
        },
        { anyOf: [{ required: ['url'] }, { required: ['path'] }] },
      ),
      [
        '*. object',
        '  url "URL" text (One of these is required: url, path)',
        '  path "Path" text picker="any" (One of these is required: url, path)',
      ],
    );
  });
});

describe('lists', () => {
  test('have items, tuples of both kinds, and additional items', () => {
    draws(
      group({
        plain: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3, uniqueItems: true },
        free: { type: 'array' },
        pair: { type: 'array', prefixItems: [{ type: 'number', title: 'X' }, { type: 'number' }], items: false },
        old: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'boolean' } },
      }),
      [
        '*. object',
        '  plain "Plain" list minItems=1 maxItems=3 isUnique',
        '    *[…] text',
        '  free "Free" list',
        '    *[…] variant isAny isNullable',
        '  pair "Pair" list',
        '    *[0] "X" number isInteger=false',
        '    *[1] "Item 2" number isInteger=false',
        '  old "Old" list',
        '    *[0] "Item 1" text',
        '    *[…] switch',
      ],
    );
  });

  test('of choices have choices to check', () => {
    draws(
      group({
        days: { type: 'array', items: { enum: ['mo', 'tu'] } },
        colors: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'r', title: 'Red' },
              { const: 'g', title: 'Green' },
            ],
          },
        },
      }),
      [
        '*. object',
        '  days "Days" list isTickList',
        '    *[…] choice mo|tu',
        '  colors "Colors" list isTickList',
        '    *[…] choice Red (r)|Green (g)',
      ],
    );
  });
});

describe('texts', () => {
  test('have formats, secrets, pickers, multi-line fields and hints', () => {
    draws(
      group({
        when: { type: 'string', format: 'date-time' },
        password: { type: 'string' },
        filePath: { type: 'string' },
        outputDir: { type: 'string' },
        paths: { type: 'array', items: { type: 'string' } },
        content: { type: 'string' },
        page: { type: 'string', contentMediaType: 'text/html' },
        site: { type: 'string', format: 'uri' },
        name: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', examples: ['abc', 'b'] },
        status_code: { type: 'string' },
      }),
      [
        '*. object',
        '  when "When" text format=date-time placeholder="2026-11-21T14:30:00Z"',
        '  password "Password" text isSecret',
        '  filePath "File path" text picker="file"',
        '  outputDir "Output dir" text picker="folder"',
        '  paths "Paths" list',
        '    *[…] text picker="any"',
        '  content "Content" text isMultiline',
        '  page "Page" text mediaType=text/html isMultiline',
        '  site "Site" text format=uri placeholder="https://example.org/page"',
        '  name "Name" text minLength=1 maxLength=9 pattern=^a examples=["abc","b"] placeholder="for example abc"',
        '  status_code "Status code" text',
      ],
    );
  });
});

describe('numbers', () => {
  test('have the bounds of every draft', () => {
    draws(
      group({
        a: { type: 'number', exclusiveMinimum: 0, maximum: 1, multipleOf: 0.1 },
        b: { type: 'number', minimum: 0, exclusiveMinimum: true },
        c: { type: 'integer', minimum: 5, exclusiveMinimum: 2 },
        d: { type: ['integer', 'number'] },
      }),
      [
        '*. object',
        '  a "A" number isInteger=false minimum=0 maximum=1 isMinimumExclusive step=0.1 placeholder="0 to 1"',
        '  b "B" number isInteger=false minimum=0 isMinimumExclusive',
        '  c "C" number isInteger minimum=5',
        '  d "D" number isInteger=false',
      ],
    );
  });
});

describe('choices', () => {
  test('have titles from oneOf, from parallel names and from a reference, and can be a constant', () => {
    draws(
      group(
        {
          a: {
            oneOf: [
              { const: 1, title: 'One' },
              { const: 2, description: 'A pair' },
            ],
          },
          b: { enum: ['x', 'y'], enumNames: ['Ex', 'Why'] },
          c: { $ref: '#/$defs/level' },
          d: { const: 'fixed' },
          e: { enum: ['only'] },
          f: { type: 'string', enum: ['a', 'b', 'c'], allOf: [{ enum: ['b', 'c'] }] },
        },
        { $defs: { level: { enum: ['low', 'high'] } } },
      ),
      [
        '*. object',
        '  a "A" choice One (1)|2 (A pair)',
        '  b "B" choice Ex (x)|Why (y)',
        '  c "C" choice low|high',
        '  d "D" constant value=fixed label=fixed',
        '  e "E" constant value=only label=only',
        '  f "F" choice b|c',
      ],
    );
  });
});

describe('dialects', () => {
  test('types are read in common notations', () => {
    draws(
      group({
        a: { type: 'str' },
        b: { type: 'int' },
        c: { type: 'any' },
        d: { type: 'dict' },
        e: { properties: { x: { type: 'float' } } },
        f: { pattern: '^a' },
      }),
      [
        '*. object',
        '  a "A" text',
        '  b "B" number isInteger',
        '  c "C" variant isAny isNullable',
        '  d "D" object',
        '    {…} variant isAny isNullable',
        '  e "E" object',
        '    x "X" number isInteger=false',
        '  f "F" text pattern=^a',
      ],
    );
  });
});

describe('names and texts of a server', () => {
  test('[L5] names that every object inherits are ordinary names', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__","toString"]}',
    );
    draws(schema, [
      '*. object',
      '  *__proto__ "Proto" text',
      '  constructor "Constructor" number isInteger=false',
      '  *toString "To string" variant isAny isNullable',
    ]);
  });

  test('[L2] hidden characters are shown, and long texts cut', () => {
    const form = formFromSchema(
      group({ a: { type: 'string', title: 'safe\u202egnihton', description: 'x'.repeat(10_000) } }),
    );
    const [root] = form.nodes;
    const [field] = root?.kind === 'object' ? root.properties : [];
    assert.equal(field?.label, 'safe\\u{202e}gnihton');
    assert.ok((field?.description?.length ?? 0) < 4_100);
  });

  test('more choices than a list can show are suggestions for a text', () => {
    const form = formFromSchema({ enum: Array.from({ length: 100_000 }, (_, index) => `v${index}`) });
    const [node] = form.nodes;
    assert.equal(node?.kind === 'text' ? node.suggestions?.length : node?.kind, 1_000);
  });
});

describe('unsupported schemas', () => {
  test('are JSON for that part only', () => {
    draws(group({ a: { type: 'string' }, b: { allOf: [{ type: 'string' }, { type: 'number' }] }, c: { enum: [] } }), [
      '*. object',
      '  a "A" text',
      '  b "B" json reason=impossible',
      '  c "C" json reason=impossible',
    ]);
  });

  test('[X3] with an unresolved or external reference accept anything, with a notice, and fetch nothing', () => {
    const form = formFromSchema(
      group({ a: { $ref: 'http://127.0.0.1:9/schema.json' }, b: { $ref: '#/$defs/none' }, c: { type: 'string' } }),
    );
    assert.equal(
      drawnForm(form),
      ['*. object', '  a "A" variant isAny isNullable', '  b "B" variant isAny isNullable', '  c "C" text'].join('\n'),
    );
    assert.deepEqual(form.notices, [
      'The reference "http://127.0.0.1:9/schema.json" in the schema has no target.',
      'The reference "#/$defs/none" in the schema has no target.',
    ]);
  });

  test('[X2] with circular references accept anything', () => {
    draws({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } }, [
      '*. variant isAny isNullable',
    ]);
  });
});
