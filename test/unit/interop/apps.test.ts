import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectInterop } from '../../support/interopClient.js';
import { isProcessAlive, stdioOf } from '../../support/interopProcess.js';

const script = 'node_modules/@modelcontextprotocol/server-basic-vanillajs/dist/index.js';

test('[stdio, extensions] an MCP Apps server shows its user interface as a resource of its tool', async (t) => {
  const { session, oracle } = await connectInterop(() => stdioOf([script, '--stdio']), {
    handlers: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
  });
  t.after(() => session.close());
  const [tool] = (await session.listTools()).items;
  const uri = (tool?._meta as { ui?: { resourceUri?: string } } | undefined)?.ui?.resourceUri ?? '';
  assert.match(uri, /^ui:\/\//);
  const [page] = (await session.readResource(uri)).contents;
  assert.equal(page?.mimeType, 'text/html;profile=mcp-app');
  assert.ok(page && 'text' in page && String(page.text).includes('<html'));
  const { structuredContent } = await session.callTool('get-time', {});
  assert.match(String((structuredContent as { time?: unknown }).time), /^\d{4}-/);
  const { pid } = session.endpoint;
  await session.close();
  assert.equal(isProcessAlive(pid ?? 0), false);
  assert.deepEqual(oracle.problems, []);
});
