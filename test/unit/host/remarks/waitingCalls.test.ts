/** Known causes of a call without an answer are shown while it waits, and explain its failure. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { HostError } from '../../../../src/core/base/hostError.js';
import type { RemarkKind } from '../../../../src/core/base/remark.js';
import { failureLine } from '../../../../src/core/present/failure/failureText.js';
import { fastClock } from '../../../support/fastClock.js';
import { headlessHost } from '../../../support/headlessHost.js';

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
};

/** Does everything correctly except calls, which `answer` handles. */
const local = (answer: string) => ({
  command: process.execPath,
  args: [
    '-e',
    `let rest = ''; const say = (message) => console.log(JSON.stringify(message)); process.stdin.on('data', (chunk) => { rest += chunk; const lines = rest.split('\\u000a'); rest = lines.pop(); for (const line of lines) { const { id, method } = JSON.parse(line); if (id === undefined) continue; if (method === 'tools/call') (${answer})(id); else if (method === 'ping') say({ jsonrpc: '2.0', id, result: {} }); else say({ jsonrpc: '2.0', id, result: method === 'initialize' ? ${JSON.stringify(initialized)} : { tools: [] } }); } });`,
  ],
  protocol: 'legacy',
});

async function waited(server: object): Promise<{ kinds: RemarkKind[]; line: string }> {
  const { host } = headlessHost({ servers: { s: { ...server, timeoutMs: 30_000 } }, clock: fastClock(10) });
  await host.open();
  try {
    await host.lifecycle.start('s');
    const kinds: RemarkKind[] = [];
    const line = await host.calls
      .runTool({ server: 's', tool: 'x' }, { caller: 'user', onRemark: ({ kind }) => kinds.push(kind) })
      .then(
        () => 'answered',
        (error: HostError) => failureLine(error, 's'),
      );
    return { kinds, line };
  } finally {
    await host.close();
  }
}

test('[K5] a call that is answered with the id as text shows this cause, and its timeout does not blame a busy server', async () => {
  const { kinds, line } = await waited(
    local(`(id) => say({ jsonrpc: '2.0', id: String(id), result: { content: [] } })`),
  );
  assert.deepEqual(kinds, ['answer-id']);
  assert.match(
    line,
    /^The server "s" did not respond to tools\/call within \d+ s\. The server answers with an ID that matches no open request, or that has another type: .*"id":"\d+"/,
  );
  assert.doesNotMatch(line, /busy/);
});

test('[K5] a call whose program asks a question shows this cause', async () => {
  const { kinds, line } = await waited(local(`() => process.stderr.write('Overwrite the file? [y/N] ')`));
  assert.deepEqual(kinds, ['prompt']);
  assert.match(line, /The server asks a question that cannot be answered here: "Overwrite the file\? \[y\/N\]"/);
});

test('[K5] a call that is only accepted over HTTP (status 202) shows this cause', async () => {
  const web = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      if (request.method === 'GET') response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      else if (request.method === 'DELETE') response.writeHead(200).end();
      else {
        const { id, method } = JSON.parse(text) as { id?: number; method: string };
        if (id === undefined || method === 'tools/call') response.writeHead(202).end();
        else
          response
            .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'a' })
            .end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? initialized : { tools: [] } }));
      }
    });
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  try {
    const { kinds, line } = await waited({
      type: 'http',
      url: `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`,
      protocol: 'legacy',
    });
    assert.deepEqual(kinds, ['accepted']);
    assert.match(line, /The server accepted the request with HTTP status 202 but did not respond to it\./);
  } finally {
    web.closeAllConnections();
    web.close();
  }
});
