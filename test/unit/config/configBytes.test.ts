import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeConfig, maxConfigBytes } from '../../../src/core/config/configBytes.js';
import { Emitter } from '../../../src/core/base/event.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import type { ConfigurationText } from '../../../src/core/config/configurationSource.js';
import { headlessHost } from '../../support/headlessHost.js';

const source: ConfigSource = { id: 'portable:x', kind: 'portable', label: '.mcp.json' };

async function problemsOf(reading: ConfigurationText) {
  const { host } = headlessHost({
    servers: {},
    ports: { configuration: { read: () => Promise.resolve([reading]), onDidChange: new Emitter<void>().event } },
  });
  await host.open();
  const problems = host.servers.problems().flatMap((one) => one.problems);
  await host.close();
  return problems;
}

test('bytes that are not UTF-8 are a problem at their position', async () => {
  const bytes = Buffer.concat([
    Buffer.from('\ufeff{\r\n  "mcpServers": {\n    "é😀'),
    Buffer.from([0xff]),
    Buffer.from('": { "command": "x" } } }'),
  ]);
  const read = decodeConfig(bytes);
  assert.deepEqual(read.invalid, { line: 2, character: 8, endLine: 2, endCharacter: 9 });
  const [problem] = await problemsOf({ source, ...read });
  assert.deepEqual([problem?.severity, problem?.position.line, problem?.position.character], ['error', 2, 8]);
  assert.match(problem?.message ?? '', /\.mcp\.json is not valid UTF-8 here\. Save the file in that encoding\./);
});

test('a character cut by the end of the file is found, and a valid text has no such position', () => {
  assert.deepEqual(decodeConfig(Buffer.from('{}\n// é').subarray(0, -1)).invalid, {
    line: 1,
    character: 3,
    endLine: 1,
    endCharacter: 4,
  });
  assert.deepEqual(decodeConfig(Buffer.from('\ufeff{"é":"😀"}')), { text: '{"é":"😀"}' });
});

test('a file that is too large is a problem, determined by its size alone', async () => {
  const [problem] = await problemsOf({ source, size: maxConfigBytes + 1 });
  assert.match(problem?.message ?? '', /larger than 5 MiB and was not read/);
});
