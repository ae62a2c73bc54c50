import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  failedModel,
  promptModel,
  readsBetterDrawn,
  resourceModel,
  runningModel,
  toolResultModel,
  CallLog,
} from '../../../../src/core/present/result/makeResultModel.js';
import { jsonOf, exactValueAt } from '../../../../src/core/present/result/resultSource.js';
import type { CallToolResult, ContentBlock } from '../../../../src/core/protocol/mcp.js';
import type { DoneResult, PartBody, LogLine } from '../../../../src/shared/result/resultModel.js';
import { pathText } from '../../../../src/shared/result/resultModel.js';
import { readResultRequest } from '../../../../src/shared/result/resultRequest.js';
import { cellText, linkedColumns, sortRows, tableOf, tablesIn } from '../../../../src/shared/result/jsonTable.js';
import { jsonNodesOf } from '../../../../src/core/present/result/jsonNodes.js';

function logOf(...lines: LogLine[]): CallLog {
  const log = new CallLog();
  for (const line of lines) log.add(line);
  return log;
}

const facts = { id: '1', request: { method: 'tools/call', params: { name: 't', arguments: {} } } };
const model = (result: CallToolResult, more = {}): DoneResult => toolResultModel(result, { ...facts, ...more });
const bodies = (...content: ContentBlock[]): PartBody[] => model({ content }).parts.map(({ body }) => body);
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const pngHead = Buffer.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 0, 0, 0, 1, 0,
]);

describe('a result as a page draws it', () => {
  test('text, Markdown and JSON are distinguished', () => {
    assert.deepEqual(
      bodies(
        { type: 'text', text: 'plain' },
        { type: 'text', text: '# Title\n\ntext' },
        { type: 'text', text: '[1]' },
        { type: 'text', text: '[not json' },
      ).map((body) => (body.kind === 'text' ? body.format : body.kind)),
      ['plain', 'markdown', 'json', 'plain'],
    );
  });

  test('[L2] hidden characters, ANSI and halves of surrogate pairs are visible and counted', () => {
    const { parts, notes } = model({ content: [{ type: 'text', text: 'a\u202eb\u001b[31mc\ud800' }] });
    assert.deepEqual(parts[0]?.body, {
      kind: 'text',
      format: 'plain',
      text: 'a\\u{202e}b\\u{1b}[31mc\\u{d800}',
      isCut: false,
    });
    assert.deepEqual(notes, ['3 hidden or control characters are shown as escapes.']);
  });

  test('[V6] the type of an image is that of its first bytes, not the claimed one', () => {
    const [image, script, nothing, broken] = bodies(
      { type: 'image', data: base64(pngHead), mimeType: 'text/html' },
      { type: 'image', data: base64('<script>1</script>'), mimeType: 'image/png' },
      { type: 'image', data: '', mimeType: 'image/png' },
      { type: 'image', data: '%%%', mimeType: 'image/png"><script>' },
    );
    assert.deepEqual(image, {
      kind: 'image',
      mimeType: 'image/png',
      bytes: new Uint8Array(pngHead),
      facts: 'png, 24 B, 512 × 256',
      width: 512,
      height: 256,
    });
    assert.deepEqual(script, {
      kind: 'note',
      text: 'image: claims to be image/png, 18 B. The content cannot be shown here, but you can save it.',
      canSave: true,
    });
    assert.deepEqual(nothing, { kind: 'note', text: 'image contains no data.', canSave: false });
    assert.deepEqual(broken, {
      kind: 'note',
      text: 'image: the data is not valid base64 (3 characters), so there is nothing to show.',
      canSave: false,
    });
  });

  test('[V6] an image of too many pixels is not drawn', () => {
    const huge = Buffer.from(pngHead);
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    assert.deepEqual(bodies({ type: 'image', data: base64(huge), mimeType: 'image/png' })[0]?.kind, 'note');
  });

  test('[V2] a drawing that could block the renderer or load something waits for a click', () => {
    const drawing = (inside: string) =>
      bodies({
        type: 'image',
        data: base64(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`),
        mimeType: 'image/svg+xml',
      })[0];
    const isPlain = (inside: string) => {
      const body = drawing(inside);
      return body?.kind === 'svg' ? body.isPlain : undefined;
    };
    assert.deepEqual(
      [
        '<rect/>',
        '<use href="#a"/>',
        '<script>1</script>',
        '<image href="http://x/"/>',
        '<foreignObject/>',
        '<svg:use/>',
        '<!ENTITY a "b">',
        '<filter/>',
      ].map(isPlain),
      [true, false, false, false, false, false, false, false],
    );
  });

  test('consecutive links are one list, and keep their paths', () => {
    const link = (name: string): ContentBlock => ({ type: 'resource_link', uri: `demo://${name}`, name });
    const { parts } = model({ content: [link('a'), link('b'), { type: 'text', text: 'x' }, link('c')] });
    assert.deepEqual(
      parts.map(({ index, body }) => [
        index,
        body.kind === 'links' ? body.links.map(({ index: place, uri }) => [place, uri]) : body.kind,
      ]),
      [
        [
          0,
          [
            [0, 'demo://a'],
            [1, 'demo://b'],
          ],
        ],
        [2, 'text'],
        [3, [[3, 'demo://c']]],
      ],
    );
  });

  test('the audience of a part is shown if it is not for both', () => {
    const part = (audience?: ('user' | 'assistant')[]) =>
      model({ content: [{ type: 'text', text: 'x', ...(audience ? { annotations: { audience } } : {}) }] }).parts[0]
        ?.audience;
    assert.deepEqual(
      [part(), part([]), part(['user', 'assistant']), part(['assistant']), part(['user'])],
      [undefined, undefined, undefined, 'assistant', 'user'],
    );
  });

  test('structured content that the text repeats is shown once', () => {
    const structured = { b: [1, 2], a: 'x' };
    assert.equal(
      model({ content: [{ type: 'text', text: '{"a":"x","b":[1,2]}' }], structuredContent: structured }).parts.length,
      0,
    );
    assert.equal(
      model({ content: [{ type: 'text', text: '{"a":"x"}' }], structuredContent: structured }).parts.length,
      1,
    );
    assert.equal(model({ content: [{ type: 'text', text: '3' }], structuredContent: 3 }).parts.length, 0);
    const large = { rows: Array.from({ length: 40_000 }, (_, id) => ({ id, name: `row ${id}` })) };
    assert.equal(
      model({ content: [{ type: 'text', text: JSON.stringify(large) }], structuredContent: large }).parts.length,
      0,
    );
    assert.equal(
      model({
        content: [{ type: 'text', text: JSON.stringify({ rows: [...large.rows].reverse() }) }],
        structuredContent: large,
      }).parts.length,
      1,
    );
  });

  test('[L4] schema problems appear beside the structured content, or alone without it', () => {
    const problems = ['"degrees" must be a number'];
    assert.deepEqual(
      model({ content: [], structuredContent: { degrees: 'x' } }, { problems }).structured?.problems,
      problems,
    );
    assert.deepEqual(model({ content: [] }, { problems }).notes, [
      'The result does not match the output schema of the tool: "degrees" must be a number',
    ]);
  });

  test('for any result, the model stays within a few megabytes and is built in bounded steps', () => {
    const results: CallToolResult[] = [
      { content: [{ type: 'text', text: 'x'.repeat(16 << 20) }] },
      { content: Array.from({ length: 5_000 }, () => ({ type: 'text' as const, text: 'y'.repeat(4_000) })) },
      {
        content: [],
        structuredContent: { rows: Array.from({ length: 100_000 }, (_, id) => ({ id, text: 'some words' })) },
      },
      { content: [{ type: 'text', text: `[${'['.repeat(1 << 20)}` }] },
      { content: [], structuredContent: { one: 'z'.repeat(16 << 20) } },
    ];
    for (const result of results) {
      const made = model(result);
      assert.ok(JSON.stringify(made).length < 6_000_000);
      assert.ok(made.parts.every(({ body }) => body.kind !== 'text' || body.text.length <= 200_000));
    }
    const [first] = model(results[0] as CallToolResult).parts;
    assert.deepEqual(first?.body.kind === 'text' && [first.body.isCut, first.body.more], [true, (16 << 20) - 200_000]);
  });

  test('bytes are a plain array with its own memory, as messages to a page require', () => {
    const [part] = model({ content: [{ type: 'image', mimeType: 'image/png', data: base64(pngHead) }] }).parts;
    assert.ok(part?.body.kind === 'image');
    const { bytes } = part.body;
    assert.deepEqual(
      [Object.getPrototypeOf(bytes) === Uint8Array.prototype, bytes.buffer.byteLength],
      [true, pngHead.length],
    );
  });

  test('a running call shows its progress and log', () => {
    assert.deepEqual(runningModel('1', 5, { progress: 3, total: 4 }, logOf({ text: 'a\u001b[0m', level: 'error' })), {
      kind: 'running',
      id: '1',
      startedAt: 5,
      progress: { text: '3 / 4', fraction: 0.75 },
      log: [{ text: 'a\\u{1b}[0m', level: 'error' }],
      logDropped: 0,
    });
    assert.deepEqual(runningModel('1', 5, { progress: 9, total: 4, message: 'on it' }).progress, {
      text: 'on it',
      fraction: 1,
    });
    const { log, logDropped } = runningModel(
      '1',
      5,
      undefined,
      logOf(...Array.from({ length: 1_500 }, (_, i) => ({ text: String(i) }))),
    );
    assert.deepEqual([log.length, log[0]?.text, logDropped], [1_000, '500', 500]);
  });

  test('a call that failed keeps its request and its log', () => {
    const failed = failedModel(
      { ...facts, durationMs: 7, log: logOf({ text: 'x' }) },
      { message: 'It ended.', isCancelled: false },
    );
    assert.deepEqual(
      [failed.message, failed.durationMs, failed.log.length, JSON.parse(failed.raw.request.text)],
      ['It ended.', 7, 1, facts.request],
    );
  });

  test('messages of a prompt have their roles, a resource alone has no frame', () => {
    const prompt = promptModel(
      {
        description: 'Why',
        messages: [
          { role: 'user', content: { type: 'text', text: 'a' } },
          { role: 'assistant', content: { type: 'resource_link', uri: 'x:y', name: 'n' } },
        ],
      },
      facts,
    );
    assert.deepEqual(
      [prompt.isPrompt, prompt.description, prompt.parts.map(({ role, body }) => [role, body.kind])],
      [
        true,
        'Why',
        [
          ['user', 'text'],
          ['assistant', 'links'],
        ],
      ],
    );
    assert.equal(resourceModel({ contents: [{ uri: 'a:b', text: 'x' }] }, facts).parts[0]?.body.kind, 'text');
    assert.equal(
      resourceModel(
        {
          contents: [
            { uri: 'a:b', text: 'x' },
            { uri: 'a:c', blob: base64(pngHead) },
          ],
        },
        facts,
      ).parts[1]?.body.kind,
      'resource',
    );
  });
});

describe('places in a result', () => {
  test('[V5] valid requests of a page are read, and others are rejected', () => {
    const good = [
      { type: 'openInEditor', id: 'a' },
      { type: 'copy', id: 'a', part: 3 },
      { type: 'copyJson', id: 'a', what: 'path', source: { part: 0 }, path: ['x', 1] },
      { type: 'exportTable', id: 'a', source: 'structured', path: [], to: 'file' },
      { type: 'openLink', id: 'a', href: 'https://x' },
    ];
    assert.deepEqual(
      good.map((request) => readResultRequest({ ...request, extra: 1 })),
      good,
    );
    const bad = [
      undefined,
      null,
      [],
      {},
      { type: 'run', id: 'a' },
      { type: 'copy' },
      { type: 'copy', id: 'a', part: -1 },
      { type: 'copy', id: 'a', part: '1' },
      { type: 'openLink', id: 'a', href: 'x'.repeat(9_000) },
      { type: 'copyJson', id: 'a', what: 'path', source: 'file', path: [] },
      { type: 'copyJson', id: 'a', what: 'path', source: 'structured', path: [{}] },
      { type: 'exportTable', id: 'a', source: 'structured', path: [], to: '/etc/passwd' },
      { type: 'openRaw', id: 'a', what: 'everything' },
    ];
    assert.deepEqual(
      bad.filter((request) => readResultRequest(request) !== undefined),
      [],
    );
  });

  test('a path leads to its value through own properties only', () => {
    const result: CallToolResult = {
      content: [{ type: 'text', text: '{"a":[{"b c":1}]}' }],
      structuredContent: { a: 2 },
    };
    assert.equal(exactValueAt(jsonOf(result, { part: 0 }), ['a', 0, 'b c']), 1);
    assert.equal(exactValueAt(jsonOf(result, 'structured'), ['a']), 2);
    assert.deepEqual(
      [['constructor'], ['__proto__'], ['a', 'length'], ['a', 9], [0]].map((path) =>
        exactValueAt(jsonOf(result, { part: 0 }), path),
      ),
      [undefined, undefined, undefined, undefined, undefined],
    );
    assert.equal(jsonOf(result, { part: 7 }), undefined);
    assert.equal(pathText(['a', 0, 'b c', 'x"y']), '$.a[0]["b c"]["x\\"y"]');
  });
});

describe('tables', () => {
  const table = (value: unknown) => {
    const read = jsonNodesOf(JSON.stringify(value));
    return read && tableOf(read.root);
  };

  test('similar objects are a table; mixed values, scalars and empty lists are not', () => {
    assert.deepEqual(
      table([{ a: 1, b: 2 }, { b: 3 }])?.columns.map(({ key }) => key),
      ['a', 'b'],
    );
    assert.deepEqual([[], [1], [{ a: 1 }, 2], [{}], [{ a: 1 }, { b: 1 }, { c: 1 }, { d: 1 }], { a: 1 }].map(table), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const wide = table([Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`c${i}`, i]))]);
    assert.deepEqual([wide?.columns.length, wide?.columnsLeftOut], [40, 20]);
  });

  test('sorting orders every pair, keeps equal rows in order and puts empty cells last', () => {
    const cell = fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.constantFrom('a', 'B', 'item 2', 'item 10'),
      fc.constant(null),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 20 }), fc.boolean(), (cells, isDescending) => {
        const made = table(cells.map((a) => ({ a })));
        if (!made) return;
        const sorted = sortRows(made.rows, { column: 0, isDescending });
        assert.deepEqual(
          [...sorted].map(({ index }) => index).sort((a, b) => a - b),
          made.rows.map(({ index }) => index),
        );
        const kinds = sorted.map(({ cells: [first] }) => first?.kind);
        const firstEmpty = kinds.indexOf('null');
        assert.ok(firstEmpty < 0 || kinds.slice(firstEmpty).every((kind) => kind === 'null'));
        const numbers = sorted.flatMap(({ cells: [first] }) => (first?.kind === 'number' ? [Number(first.text)] : []));
        assert.deepEqual(
          numbers,
          [...numbers].sort((a, b) => (isDescending ? b - a : a - b)),
        );
      }),
    );
    const made = table([
      { a: 'x', n: 1 },
      { a: 'x', n: 2 },
      { a: 'item 10', n: 3 },
      { a: 'item 2', n: 4 },
    ]);
    assert.deepEqual(
      made && sortRows(made.rows, { column: 0, isDescending: false }).map(({ index }) => index),
      [3, 2, 0, 1],
    );
  });

  test('a cell is one line', () => {
    const cells = [{ a: { b: 1 } }, [1, 'x'], [[1]], 'text', 3].map((value) => {
      const read = jsonNodesOf(JSON.stringify([value]));
      return read?.root.kind === 'array' && read.root.items[0] ? cellText(read.root.items[0]) : undefined;
    });
    assert.deepEqual(cells, ['{1}', '1, x', '[1]', 'text', '3']);
  });
});

describe('tables in a result', () => {
  const table = (rows: Record<string, unknown>[]) => {
    const { structured } = model({ content: [], structuredContent: { rows } });
    const [found] = structured ? tablesIn(structured.json.root) : [];
    const made = found && tableOf(found.node);
    assert.ok(made);
    return made;
  };

  test('a name and the address of the same file are one link', () => {
    assert.deepEqual(
      linkedColumns(
        table([
          { path: 'a b/c.md', uri: 'file:///w/a%20b/c.md' },
          { path: 'd.md', uri: 'file:///w/d.md' },
        ]),
      ),
      { text: 0, address: 1 },
    );
    assert.equal(
      linkedColumns(table([{ path: 'c.md', uri: 'file:///w/other.md' }])),
      undefined,
      'a name that is not the address would mislead',
    );
    assert.equal(linkedColumns(table([{ path: 'c.md', uri: 'https://host/c.md' }])), undefined);
    assert.equal(linkedColumns(table([{ path: 'c.md', uri: 'file:///w/c.md' }, { path: 'x' }])), undefined);
    assert.equal(linkedColumns(table([{ path: '%', uri: 'file:///w/%' }])), undefined);
  });

  test('a result with a table or links is drawn as a page, text and errors are documents', () => {
    const drawn = (result: CallToolResult) => readsBetterDrawn(model(result));
    assert.equal(drawn({ content: [], structuredContent: { files: [{ path: 'a' }] } }), true);
    assert.equal(drawn({ content: [{ type: 'resource_link', uri: 'a:b', name: 'c' }] }), true);
    const image = { type: 'image', data: base64(pngHead), mimeType: 'image/png' } as const;
    assert.equal(drawn({ content: [{ type: 'text', text: 'a' }, image] }), true);
    assert.equal(drawn({ content: [image] }), false, 'an image alone opens in the viewer');
    assert.equal(drawn({ content: [{ type: 'text', text: 'a' }] }), false);
    assert.equal(drawn({ content: [], structuredContent: { degrees: 3 } }), false);
    assert.equal(drawn({ isError: true, content: [], structuredContent: { files: [{ path: 'a' }] } }), false);
  });
});
