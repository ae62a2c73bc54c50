import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import type { ConfigSource, StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { inspectionContext } from '../../support/inspectionContext.js';

const source: ConfigSource = { id: 's', kind: 'vscode', label: '.vscode/mcp.json', folderPath: '/w' };
const definition: StdioDefinition = { type: 'stdio', command: 'tool', args: [], env: {}, envFile: '.env' };

test('[F9] at most four starts are examined at the same time, and one that fails gives its place to the next', async () => {
  let [current, highest, reads] = [0, 0, 0];
  const context = {
    ...inspectionContext('/home/me', ['/w'], {}),
    readFile: async () => {
      reads++;
      highest = Math.max(highest, ++current);
      await nextTurn();
      current--;
      if (reads % 3 === 0) throw new Error('unreadable');
      return 'A=1';
    },
  };
  const cwd = { ...definition, cwd: '/elsewhere' };
  const found = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      inspectStart({ id: `s${index}`, definition: cwd, source, values: new Map() }, context),
    ),
  );
  assert.equal(found.length, 20);
  assert.deepEqual([reads, highest], [20, 4]);
});

test('[F9] each environment variable of a working directory is compared with the workspace folders once', async () => {
  let reads = 0;
  const env = {
    get FOLDERS() {
      reads++;
      return '/x:/y';
    },
  };
  const countOf = async (uses: number) => {
    reads = 0;
    const cwd = `/x/${'${env:FOLDERS}'.repeat(uses)}`;
    const context = { ...inspectionContext('/home/me', ['/w'], {}), env };
    await inspectStart({ id: 's', definition: { ...definition, cwd }, source, values: new Map() }, context);
    return reads;
  };
  // The path itself is filled in once, and needs each use.
  assert.equal((await countOf(100)) - (await countOf(1)), 99);
});
