import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Warn } from '../../../src/core/protocol/resultGuards.js';
import {
  callToolResultOf,
  promptsOf,
  readResourceResultOf,
  resourcesOf,
  toolsOf,
} from '../../../src/core/protocol/resultGuards.js';

const many = <T>(item: T): T[] => Array.from({ length: 100_000 }, () => item);

describe('[F11, R14] a list with many items that are not valid', () => {
  const cases: [string, (items: unknown[], warn: Warn) => unknown[]][] = [
    ['tools/list', (tools, warn) => toolsOf({ tools }, warn)],
    ['resources/list', (resources, warn) => resourcesOf({ resources }, warn)],
    ['prompts/list', (prompts, warn) => promptsOf({ prompts }, warn)],
    ['tools/call', (content, warn) => callToolResultOf({ content }, warn).content],
    ['resources/read', (contents, warn) => readResourceResultOf({ contents }, warn).contents],
  ];
  const valid = { name: 'a', uri: 'a://b', type: 'text', text: '' };
  for (const [method, read] of cases) {
    for (const item of [1, {}, { name: '', type: 'x'.repeat(100) }]) {
      test(`${method}: ten ${JSON.stringify(item).slice(0, 20)} are described, the others counted, the valid one kept`, () => {
        const lines: string[] = [];
        const kept = read([...many(item), { ...valid }], (line) => lines.push(line));
        assert.equal(kept.length, 1);
        assert.equal(lines.length, 11);
        assert.match(lines[9] ?? '', new RegExp(`^Left out item 10 of ${method}: .+\\.$`));
        assert.equal(lines[10], `Left out 99,990 more items of ${method}.`);
      });
    }
  }
});
