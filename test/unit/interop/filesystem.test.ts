import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { connectInterop } from '../../support/interopClient.js';
import { isProcessAlive, stdioOf } from '../../support/interopProcess.js';

const script = 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js';

test('[stdio, roots, tools.outputSchema] server-filesystem works in the roots that we give it', async (t) => {
  const [allowed, other] = [1, 2].map(() => realpathSync(mkdtempSync(path.join(os.tmpdir(), 'interop-')))) as [
    string,
    string,
  ];
  t.after(() => {
    for (const folder of [allowed, other]) rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(path.join(allowed, 'ä b.txt'), 'first\nsecond\n');
  const root = { uri: pathToFileURL(allowed).href, name: 'allowed' };
  const { session, oracle, answers, until, seen } = await connectInterop(() => stdioOf([script, other]), {
    handlers: { roots: () => [root] },
  });
  t.after(() => session.close());
  assert.equal(session.identity.revision, '2025-11-25');
  const { items } = await session.listTools();
  assert.ok(items.length >= 13 && answers.roots.length === 1);
  // Its roots replace the folder of the command line as soon as it has requested them.
  const list = async () => JSON.stringify(await session.callTool('list_allowed_directories', {}));
  await until(() => oracle.received.some(({ method }) => method === 'roots/list'));
  while (!(await list()).includes(allowed)) await new Promise((resolve) => setImmediate(resolve));
  const { structuredContent } = await session.callTool('list_directory', { path: allowed });
  assert.deepEqual(structuredContent, { content: '[FILE] ä b.txt' });
  assert.match(
    JSON.stringify(await session.callTool('read_text_file', { path: path.join(allowed, 'ä b.txt'), head: 1 })),
    /first/,
  );
  await session.callTool('write_file', { path: path.join(allowed, 'new.txt'), content: '\u2028\r\n' });
  assert.match(
    JSON.stringify(await session.callTool('read_text_file', { path: path.join(allowed, 'new.txt') })),
    /\u2028/,
  );
  assert.equal((await session.callTool('list_directory', { path: other })).isError, true);
  const { pid } = session.endpoint;
  await session.close();
  assert.equal(isProcessAlive(pid ?? 0), false);
  assert.deepEqual([oracle.problems, seen.warnings], [[], []]);
});
