import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { stdioOf } from '../../support/interopProcess.js';
import { until } from '../../support/httpUntil.js';

/** Answers `initialize` and the era probe rightly, but writes its messages in the way of `encode`. */
const server = (encode: string) => `
  let rest = '';
  process.stdin.on('end', () => process.exit());
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, method } = JSON.parse(line);
      if (id === undefined) continue;
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'odd', version: '1' } };
      const answer = { jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } }) };
      process.stdout.write(${encode});
    }
  });`;

const cases: { name: string; encode: string; hint: RegExp }[] = [
  { name: '[F5] JSON over several lines', encode: "JSON.stringify(answer, null, 2) + '\\n'", hint: /over several lines/ },
  { name: '[F5] UTF-16', encode: "Buffer.from('\\ufeff' + JSON.stringify(answer) + '\\n', 'utf16le')", hint: /not UTF-8/ },
  { name: '[F5] UTF-16 without a byte order mark', encode: "Buffer.from(JSON.stringify(answer) + '\\n', 'utf16le')", hint: /not UTF-8/ },
];

for (const { name, encode, hint } of cases) {
  test(`${name} is recognised while the handshake still waits`, async () => {
    const warnings: string[] = [];
    const abort = new AbortController();
    const opening = McpSession.open(() => stdioOf(['-e', server(encode)]), {
      client: { name: 'test', version: '1' },
      listener: { onWarning: (line) => void warnings.push(line) },
      signal: abort.signal,
    });
    const ended = assert.rejects(opening, /seen enough/);
    try {
      await until(() => warnings.length > 0);
    } finally {
      abort.abort(new Error('seen enough'));
    }
    await ended;
    assert.match(warnings[0] ?? '', hint);
  });
}

test('[F5, old.spellings] Content-Length headers are recognised, said, and spoken back', async () => {
  const framed = server("'Content-Length: ' + Buffer.byteLength(JSON.stringify(answer)) + '\\r\\n\\r\\n' + JSON.stringify(answer)").replace(
    'const { id, method } = JSON.parse(line);',
    "const at = line.indexOf('{'); if (at === -1) continue; const { id, method } = JSON.parse(line.slice(at));",
  );
  // The last body has no line end: read by braces is enough here, since the messages have none inside texts.
  const script = framed.replace("rest = lines.pop();", "rest = lines.pop(); if (rest.startsWith('{') && rest.endsWith('}')) { lines.push(rest); rest = ''; }");
  const warnings: string[] = [];
  const session = await McpSession.open(() => stdioOf(['-e', script]), { client: { name: 'test', version: '1' }, listener: { onWarning: (line) => void warnings.push(line) } });
  assert.equal(session.identity.info.name, 'odd');
  await session.close();
  assert.match(warnings[0] ?? '', /Content-Length/);
});
