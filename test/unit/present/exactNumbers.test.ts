import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { literalAt, parseExact } from '../../../src/core/base/exactNumbers.js';
import { compactJson } from '../../../src/core/base/jsonTokens.js';
import { csvRows } from '../../../src/core/present/text/csv.js';
import { isSameJson, jsonPieces, parseJsonText } from '../../../src/core/present/text/jsonPieces.js';
import { toolResultModel } from '../../../src/core/present/result/makeResultModel.js';
import { jsonOf, exactValueAt } from '../../../src/core/present/result/resultSource.js';
import { presentToolResult } from '../../../src/core/present/result/toolResult.js';
import type { CallToolResult } from '../../../src/core/protocol/mcp.js';
import { sortRows, tableOf } from '../../../src/shared/result/jsonTable.js';
import { headlessHost } from '../../support/headlessHost.js';

/** JSON-RPC as a server writes it, with numbers that a double cannot represent. */
const rows =
  '[{"id":9007199254740993,"price":0.1000000000000000055511151231257827,"big":1e400,"deep":{"n":[-12345678901234567890]}},{"id":9007199254740992,"price":0.1,"big":1,"deep":{"n":[1]}}]';
const answer = (id: number) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"rows":${rows}}}}`;

/** A whole server in one line, which writes the numbers literally. */
const server = `
  const lines = require('node:readline').createInterface({ input: process.stdin });
  const send = (text) => process.stdout.write(text + '\\n');
  lines.on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    if (method === 'initialize') send(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } }));
    else if (method === 'tools/list') send(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [{ name: 'rows', inputSchema: { type: 'object' } }] } }));
    else if (method === 'tools/call') send('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":{"rows":' + ${JSON.stringify(rows)} + '}}}');
    else send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }));
  });`;

describe('[K4] numbers that a double cannot represent', () => {
  const result = (parseExact(answer(1)) as { result: CallToolResult }).result;

  test('the drawn result, its table and the raw exchange show every digit, over a real connection', async () => {
    const { host } = headlessHost({
      servers: { s: { command: process.execPath, args: ['-e', server.replaceAll('\n', ' ')] } },
    });
    await host.open();
    try {
      await host.lifecycle.start('s');
      const came = await host.calls.runTool({ server: 's', tool: 'rows' }, { caller: 'user' });
      const drawn = JSON.stringify(toolResultModel(came, { id: '1', request: {} }));
      for (const literal of [
        '9007199254740993',
        '9007199254740992',
        '0.1000000000000000055511151231257827',
        '1e400',
        '-12345678901234567890',
      ])
        assert.ok(drawn.split(literal).length >= 3, `${literal} in the tree and in the raw answer`);
      assert.doesNotMatch(drawn, /12345678901234567000|Infinity/);
    } finally {
      await host.close();
    }
  });

  test('opened results, the history and texts for a model have every digit', () => {
    const text = [...(presentToolResult(result, { server: 's', tool: 'rows' }).document?.pieces() ?? [])].join('');
    assert.match(text, /"id": 9007199254740993,\n\s*"price": 0\.1000000000000000055511151231257827,\n\s*"big": 1e400/);
  });

  test('copies and exports have every digit', () => {
    const structured = jsonOf(result, 'structured');
    assert.equal([...jsonPieces(exactValueAt(structured, ['rows', 0, 'id']))].join(''), '9007199254740993');
    assert.equal(
      [...jsonPieces(exactValueAt(structured, ['rows', 0, 'deep', 'n', 0]))].join(''),
      '-12345678901234567890',
    );
    const table = exactValueAt(structured, ['rows']) as unknown[];
    assert.deepEqual(
      [...csvRows(table)],
      [
        'id,price,big,deep\r\n',
        '9007199254740993,0.1000000000000000055511151231257827,1e400,"{""n"":[-12345678901234567890]}"\r\n',
        '9007199254740992,0.1,1,"{""n"":[1]}"\r\n',
      ],
    );
  });

  test('a comparison distinguishes two numbers that are equal as doubles, and a table sorts them', () => {
    assert.equal(isSameJson(parseExact('{"a":9007199254740993}'), parseExact('{"a":9007199254740992}')), false);
    assert.equal(isSameJson(parseExact('[9007199254740993]'), parseExact('[9007199254740993]')), true);
    const table = tableOf({
      kind: 'array',
      items: ['9007199254740993', '9007199254740992', '1e400', '1e401'].map((text) => ({
        kind: 'object',
        entries: [{ key: 'id', value: { kind: 'number', text } }],
      })),
    });
    assert.deepEqual(
      sortRows(table?.rows ?? [], { column: 0, isDescending: false }).map(({ index }) => index),
      [1, 0, 2, 3],
    );
  });

  test('JSON text is read with every digit', () => {
    assert.equal(compactJson(parseJsonText('{"id":9007199254740993}')?.value), '{"id":9007199254740993}');
  });

  test('for any JSON, values equal those of JSON.parse, and numbers stay as written', () => {
    const numbers = [
      '1',
      '-0.5',
      '12345678901234567',
      '-98765432109876543210',
      '0.12345678901234567890',
      '1e400',
      '-1e-400',
      '123456789012345678e10',
      '1e21',
      '1000000000000000000000',
      '9007199254740991',
    ];
    let seed = 7;
    const next = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
    const value = (depth: number): string => {
      const kind = next(depth > 4 ? 3 : 6);
      if (kind === 0) return numbers[next(numbers.length)] ?? '0';
      if (kind === 1) return JSON.stringify(['', '"\\', '\\', 'a": 12345678901234567', '[{', 'e1e400'][next(6)]);
      if (kind === 2) return ['true', 'false', 'null'][next(3)] ?? 'null';
      const items = Array.from({ length: next(5) }, (_, index) =>
        kind < 5
          ? `${JSON.stringify(`${['k', '"', '\\', '__proto__', '{'][next(5)]}${index}`)}: ${value(depth + 1)}`
          : value(depth + 1),
      );
      return kind < 5 ? `{ ${items.join(' ,\n')} }` : `[ ${items.join(',\t')}]`;
    };
    for (let round = 0; round < 3_000; round++) {
      const text = `{"all":[${value(0)}]}`;
      const parsed = parseExact(text);
      assert.deepEqual(parsed, JSON.parse(text));
      assert.deepEqual(numbersIn(compactJson(parsed)), numbersIn(text), text);
    }
  });

  test('of a duplicate name, the digits of the last value are used', () => {
    assert.equal(compactJson(parseExact('{"a":9007199254740993,"a":9007199254740992}')), '{"a":9007199254740992}');
    assert.equal(compactJson(parseExact('{"a":{"n":9007199254740993},"a":{"n":7}}')), '{"a":{"n":7}}');
    assert.equal(compactJson(parseExact('{"a":0.1000000000000000055511151231257827,"a":0.1}')), '{"a":0.1}');
  });

  test('an object stores the digits of all of its numbers by name, invisibly', () => {
    for (const count of [1, 2, 3, 40]) {
      const text = `{${Array.from({ length: count }, (_, index) => `"n${index}":${9_007_199_254_740_993n + BigInt(index) * 2n}`).join(',')}}`;
      const value = parseExact(text) as object;
      assert.deepEqual(
        Object.keys(value)
          .map((key) => `"${key}":${literalAt(value, key)}`)
          .join(','),
        text.slice(1, -1),
      );
      assert.equal(literalAt(value, 'other'), undefined);
      assert.deepEqual(Reflect.ownKeys(value), Reflect.ownKeys(JSON.parse(text) as object));
      assert.equal(JSON.stringify(value), JSON.stringify(JSON.parse(text)));
    }
  });

  test('a duplicate name with an exact number keeps no digits of the first one', () => {
    const value = parseExact(
      '{"a":9007199254740993,"b":9007199254740995,"a":9007199254740992,"c":-0.0,"d":-0}',
    ) as object;
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => literalAt(value, key)),
      [undefined, '9007199254740995', undefined, undefined],
    );
    const single = parseExact('{"a":9007199254740993,"a":9007199254740992}') as object;
    assert.equal(literalAt(single, 'a'), undefined);
  });

  test('numbers that a double can represent are not stored', () => {
    const value = parseExact(
      '{"a":1234567890123456,"b":1e100,"c":100000000000000000000,"d":0.5000000000000000000,"e":1.7976931348623157e308}',
    ) as object;
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((key) => literalAt(value, key)),
      [undefined, undefined, undefined, undefined, undefined],
    );
  });
});

/** The numbers in a text, in JavaScript's notation if a double can represent them. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)]
    .map(([token]) => token)
    .filter((token) => !token.startsWith('"'))
    .map((token) => ({ '1000000000000000000000': '1e+21', '1e21': '1e+21' })[token] ?? token);
}

test('[Y3] an inexact number is kept at any depth, and duplicate or very long names take no longer', () => {
  const depth = 200_000;
  let inner = parseExact(`${'['.repeat(depth)}1e999${']'.repeat(depth)}`) as unknown[];
  while (Array.isArray(inner[0])) inner = inner[0] as unknown[];
  assert.equal(literalAt(inner, 0), '1e999');
  const began = process.cpuUsage();
  const many = Array(200_000).fill('1e999').join(',');
  const name = 'k'.repeat(2_000_000);
  assert.deepEqual(parseExact(`{"${name}":[${many}],"${name}":5}`), { [name]: 5 });
  const nested = parseExact(`{"a":${'['.repeat(5_000)}${many}${']'.repeat(5_000)},"a":[1e999]}`) as { a: unknown[] };
  assert.equal(literalAt(nested.a, 0), '1e999');
  // Looking up each number separately takes minutes.
  assert.ok(process.cpuUsage(began).user < 10_000_000);
});
