/** Calls with generated arguments: what is generated, and what is found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../../../../src/core/protocol/mcp.js';
import { loadValidator } from '../../../../src/core/schema/loadValidator.js';
import { fuzzArguments } from '../../../../src/core/testing/checks/fuzz/fuzzArguments.js';
import type { FuzzOutcome } from '../../../../src/core/testing/checks/fuzz/fuzzServer.js';
import { fuzzServer, onlyReads } from '../../../../src/core/testing/checks/fuzz/fuzzServer.js';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    depth: { type: 'integer', minimum: 1, maximum: 5 },
    kind: { enum: ['file', 'folder'] },
    tags: { type: 'array', items: { type: 'string' } },
    more: { anyOf: [{ type: 'null' }, { type: 'object', properties: { a: { type: 'boolean' } } }] },
  },
  required: ['path'],
};
const tool: Tool = { name: 'read', inputSchema: schema };
const good: FuzzOutcome = { kind: 'result', isError: false, hasText: true, outputProblems: [] };

test('the same seed gives the same arguments, valid and invalid ones, and huge values', async () => {
  const values = fuzzArguments(schema, 7, 200);
  assert.deepEqual(fuzzArguments(schema, 7, 200), values);
  assert.notDeepEqual(fuzzArguments(schema, 8, 200), values);
  const validator = await loadValidator();
  const valid = values.filter((one) => validator.check(schema, one).problems.length === 0);
  assert.ok(valid.length > 40 && valid.length < 180, String(valid.length));
  assert.ok(values.some((one) => JSON.stringify(one).length > 10_000));
});

for (const odd of [
  {},
  { type: 'object', properties: { a: { type: 'integer', minimum: 1e12 }, b: { enum: [] } } },
  { type: 'object', properties: { a: { type: 'string', minLength: 9, maxLength: 1 }, b: { type: ['x', 3] } } },
]) {
  test(`a schema such as ${JSON.stringify(odd).slice(0, 60)} has arguments`, () => {
    assert.equal(fuzzArguments(odd, 1, 30).length, 30);
  });
}

const cases: [FuzzOutcome, string | undefined][] = [
  [good, undefined],
  [{ kind: 'refused', code: -32602, message: 'Invalid' }, undefined],
  [{ ...good, isError: true }, undefined],
  [{ ...good, isError: true, hasText: false }, 'fuzz-error-text'],
  [{ ...good, outputProblems: ['size is missing'] }, 'fuzz-output'],
  [{ kind: 'refused', code: -32603, message: 'Boom' }, 'fuzz-internal-error'],
  [{ kind: 'hung' }, 'fuzz-hang'],
  [{ kind: 'crashed', message: 'Exit 3' }, 'fuzz-crash'],
];
for (const [outcome, rule] of cases) {
  test(`the outcome ${JSON.stringify(outcome)} is ${rule ?? 'no finding'}`, async () => {
    let calls = 0;
    const findings = await fuzzServer([tool], {
      seed: 1,
      runs: 20,
      signal: new AbortController().signal,
      generate: fuzzArguments,
      call: () => Promise.resolve((calls++, outcome)),
    });
    assert.deepEqual(
      findings.map((one) => one.rule),
      rule === undefined ? [] : [rule],
    );
    // A tool that breaks again and again is left.
    assert.equal(calls, rule === 'fuzz-hang' || rule === 'fuzz-crash' ? 3 : 20);
  });
}

test('only a tool that its server calls read-only is called without --fuzz-all', () => {
  assert.equal(onlyReads(tool), false);
  assert.equal(onlyReads({ ...tool, annotations: { readOnlyHint: true } }), true);
  assert.equal(onlyReads({ ...tool, annotations: { readOnlyHint: true, destructiveHint: true } }), false);
});

test('the arguments of all calls have a maximum size, although a value of the schema can be repeated', () => {
  const value = { const: 'x'.repeat(25_000) };
  const list = (items: unknown) => ({ type: 'array', minItems: 20, maxItems: 20, items });
  const schema = { type: 'object' as const, required: ['a'], properties: { a: list(list(value)) } };
  const calls = fuzzArguments(schema, 1, 50);
  assert.equal(calls.length, 50);
  const sizes = calls.map((call) => JSON.stringify(call).length);
  assert.ok(Math.max(...sizes) < 3_000_000 && sizes.reduce((sum, size) => sum + size) < 25_000_000, String(sizes));
});
