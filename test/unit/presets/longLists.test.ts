import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsAny } from '../../../src/core/base/wildcard.js';
import { parseConfigValue } from '../../../src/core/config/parseConfig.js';
import { isWithin, readPresets } from '../../../src/core/presets/presetFile.js';

const source = { id: 'user', kind: 'user', label: 'User settings' } as const;
const names = (count: number) => Array.from({ length: count }, (_, n) => `name ${n}`);
const messages = (text: object) => readPresets(JSON.stringify(text)).problems.map(({ message }) => message);

test('[Y3] a long list of a preset file is cut with a problem, which never enables more tools', () => {
  const { presets, problems } = readPresets(JSON.stringify({ presets: { long: { servers: names(10_000) } } }));
  assert.equal(presets[0]?.servers.length, 2_000);
  assert.match(problems[0]?.message ?? '', /more than 2000 names/);
  const tools = Object.fromEntries(names(10_000).map((name) => [name, []]));
  const [preset] = readPresets(JSON.stringify({ presets: { long: { servers: ['*'], tools } } })).presets;
  assert.deepEqual(preset?.tools['*'], []);
  const presetsInFile = Object.fromEntries(names(1_000).map((name) => [name, { servers: ['a'] }]));
  assert.match(messages({ presets: presetsInFile }).join(), /more than 200 presets/);
  const overrides = Object.fromEntries(names(10_000).map((name) => [name, { hide: true }]));
  assert.match(messages({ gateway: { tools: { one: overrides } } }).join(), /more than 2000 names/);
});

test('[Y3] more than 2,000 disabled tools disable all tools', () => {
  const disabledTools = (count: number) =>
    parseConfigValue({ a: { command: 'node', disabledTools: names(count) } }, source).servers[0]?.definition
      .disabledTools;
  assert.equal(disabledTools(2_000)?.length, 2_000);
  assert.deepEqual(disabledTools(2_001), ['*']);
});

test('presets with the longest lists are compared by their names', () => {
  const preset = (servers: string[]) => ({ name: 'a', servers, tools: {} });
  assert.ok(isWithin(preset(names(2_000)), preset(names(2_000).reverse())));
  assert.ok(!isWithin(preset(names(2_000)), preset(names(1_999))));
});

test('a name is found among names and patterns', () => {
  const patterns = [...names(10), 'a*', '?b'];
  assert.deepEqual(
    ['name 3', 'abc', 'xb', 'name', 'xbc'].map((name) => fitsAny(patterns, name)),
    [true, true, true, false, false],
  );
});
