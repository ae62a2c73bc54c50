import assert from 'node:assert/strict';
import http from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { openGatewayUrl } from '../../support/openedGateway.js';

const numbers = path.resolve('test/fixtures/servers/numbers.mjs');
const eras = ['legacy', 'modern'] as const;
/** Numbers that a double cannot hold. */
const literals = ['12345678901234567890', '0.12345678901234567891', '1e400'];

/** The URL of a gateway in front of one server of an era, which returns the text of each request. */
function open(t: TestContext, era: (typeof eras)[number]): Promise<string> {
  return openGatewayUrl(t, { numbers: { command: process.execPath, args: [numbers, era] } });
}

interface Answer {
  text: string;
  session: string | undefined;
}

/** Sends a text as it is, because a client that parses JSON would change the numbers. */
async function post(url: string, body: string, headers: Record<string, string>): Promise<Answer> {
  const request = http.request(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const part of response) text += String(part);
  return { text, session: response.headers['mcp-session-id'] as string | undefined };
}

const name = 'echo';
const meta =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';

/** Calls the tool with these arguments, in the era of the caller; returns the text of the answer. */
const callers: Record<(typeof eras)[number], (url: string, args: string) => Promise<string>> = {
  legacy: async (url, args) => {
    const params = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}';
    const { session = '' } = await post(url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`, {});
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    await post(url, '{"jsonrpc":"2.0","method":"notifications/initialized"}', headers);
    const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
    return (await post(url, call, headers)).text;
  },
  modern: async (url, args) => {
    const params = `{"name":"${name}","arguments":${args},${meta}}`;
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    return (await post(url, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}`, headers)).text;
  },
};

for (const behind of eras)
  for (const era of eras)
    test(`a ${era} caller and a ${behind} server exchange numbers with all their digits`, async (t) => {
      const args = `{"number":${literals[0]},"list":[1,${literals.join(',')}],"inner":{"small":1.5,"large":${literals[0]}}}`;
      const answer = await callers[era](await open(t, behind), args);
      // What the server received, as a text, and what it returned, as a value.
      assert.ok(answer.includes(JSON.stringify(`"arguments":${args}`).slice(1, -1)), answer);
      assert.ok(answer.includes(`"structuredContent":${args}`), answer);
    });
