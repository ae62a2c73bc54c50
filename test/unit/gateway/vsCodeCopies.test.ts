import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerView } from '../../../src/core/catalog/hostTypes.js';
import { vsCodeCopies } from '../../../src/core/gateway/vsCodeCopies.js';

const view = (name: string, stated: string | undefined, ...tools: string[]) =>
  ({
    id: name,
    entry: { name },
    features: {
      identity: stated === undefined ? {} : { info: { name: stated, version: '1' } },
      tools: tools.map((tool) => ({ name: tool })),
    },
  }) as unknown as ServerView;

const rows: [what: string, server: ServerView, names: string[], isCopy: boolean][] = [
  ['by the configured name', view('files', undefined, 'read'), ['mcp_files_read'], true],
  ['by the name that the server states', view('mine', 'Files Server', 'read'), ['mcp_files_server_read'], true],
  ['by names that are cut', view('a-very-long-server-name', undefined, 'read'), ['mcp_a-very-long-s_read'], true],
  ['not by tools of another name', view('files', undefined, 'read'), ['mcp_files_write', 'mcp_other_read'], false],
  ['not by tools of extensions', view('files', undefined, 'read'), ['files_read', 'read'], false],
];

for (const [what, server, names, isCopy] of rows)
  test(`[LM5] a copy in VS Code is found ${what}`, () =>
    assert.equal(vsCodeCopies([server], names).length, isCopy ? 1 : 0));

test('[LM5] a server that does not run has no copy', () => {
  const stopped = { id: 'files', entry: { name: 'files' } } as unknown as ServerView;
  assert.deepEqual(vsCodeCopies([stopped], ['mcp_files_read']), []);
});
