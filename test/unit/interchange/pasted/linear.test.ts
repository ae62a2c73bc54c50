import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withOpenValues } from '../../../../src/core/interchange/pasted/openValues.js';
import { inOneLine, isMeantAsServer, readPasted } from '../../../../src/core/interchange/pasted/readPasted.js';
import { pastedText, scratchServerOf, startText } from '../../../../src/core/present/form/pastedText.js';
import { findSecrets, withInputs } from '../../../../src/core/interchange/plainSecrets.js';
import { assertGrowsLinearly, assertLinear } from '../../../support/linearWork.js';

/** Reads the text and makes everything that a box shows of it. */
function readAndShow(text: string): void {
  const pasted = readPasted(text);
  if ('problem' in pasted) return;
  pastedText(pasted);
  for (const server of pasted.servers.slice(0, 1)) {
    withOpenValues(server, pasted.inputs);
    startText(server);
    startText(scratchServerOf(server, pasted));
  }
}

for (const beginning of ['', 'npx -y ', '`', '```\n', '"', '{"command":"npx","args":["', 'https://', 'claude mcp add '])
  test(`[paste.linear] a hostile text after ${JSON.stringify(beginning)} is read in linear time`, () =>
    assertLinear(readAndShow, beginning));

test('[paste.linear] whether the clipboard holds a server is found in linear time', () =>
  assertLinear(isMeantAsServer));

test('[paste.linear] a text is put into one line in linear time', () => assertLinear(inOneLine, 'npx'));

/** Definitions with as many values that are secret, missing, or inputs as a text of this length can have. */
const crowded: Record<string, (length: number) => string> = {
  secrets: (length) => definition(length, (n) => `"T${n}_KEY":"sk-live-${n}"`),
  placeholders: (length) => definition(length, (n) => `"T${n}":"<A>"`),
  'placeholders with one name': (length) =>
    JSON.stringify({ command: 'node', args: Array.from({ length: length / 10 }, () => '<A>') }),
  inputs: (length) => definition(length, (n) => `"T${n}":"\${input:i${n}}"`),
  'variables of a container': (length) =>
    JSON.stringify({
      command: 'docker',
      args: ['run', ...Array.from({ length: length / 25 }, (_, n) => ['-e', `T${n}_KEY=<A>`]).flat()],
    }),
};

function definition(length: number, entry: (n: number) => string): string {
  const entries = Array.from({ length: length / 40 }, (_, n) => entry(n));
  return `{"command":"node","env":{${entries.join(',')}}}`;
}

for (const [kind, make] of Object.entries(crowded))
  test(`[paste.linear] a definition with thousands of ${kind} is refused with the reason, in linear time`, () => {
    assertGrowsLinearly((length) => readAndShow(make(length)), 45_000, kind);
    const pasted = readPasted(make(45_000));
    assert.deepEqual(pasted, { problem: 'More than 200 values are secret or missing.' });
  });

test('[paste.linear] thousands of secrets of imported servers are moved to inputs in linear time', () => {
  const moved = (count: number): string => {
    const env = Object.fromEntries(Array.from({ length: count }, (_, n) => [`T${n}_KEY`, `sk-live-${n}`]));
    const server = { name: 's', fields: { command: 'node', env } };
    return JSON.stringify(withInputs([server], findSecrets([server])).servers);
  };
  assertGrowsLinearly(moved, 8_000, 'secrets');
  assert.doesNotMatch(moved(8_000), /sk-live/);
});

test('200 values are secret or missing are accepted', () => {
  const env = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`T${n}_KEY`, `sk-live-${n}`]));
  const pasted = readPasted(JSON.stringify({ command: 'node', env }));
  assert.ok(!('problem' in pasted));
  const [server] = pasted.servers;
  assert.ok(server);
  assert.equal(withOpenValues(server, pasted.inputs).secrets.length, 200);
  assert.deepEqual(scratchServerOf(server, pasted).fields['env'], env);
});
