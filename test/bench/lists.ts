/**
 * Measures lists of 5,000 tools: the tree's answers when VS Code opens one level (the longest answer of all levels),
 * the lines of the picker, and a search in their texts, as after each typed key. Prints the first run and the median of
 * warm runs.
 */
import { performance } from 'node:perf_hooks';
import { rootNodes } from '../../src/core/present/tree/serverNodes.js';
import { toolPickRows } from '../../src/core/present/chat/toolPick.js';
import type { TreeNode } from '../../src/core/present/tree/treeNode.js';
import { serverView, tool } from '../support/serverViews.js';

const count = 5_000;
const tools = Array.from({ length: count }, (_, index) =>
  tool(`${['files', 'issues', 'search', 'deploy'][index % 4]}_action_${index}`, {
    description: `Does the thing with the number ${index}. It has a second sentence that a line does not show, and a third one.`,
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer' } },
      required: ['path'],
    },
    annotations: { readOnlyHint: index % 2 === 0 },
  }),
);
const servers = [serverView('large', { features: { tools } })];

function timed(make: () => readonly unknown[]): number {
  const before = performance.now();
  const made = make();
  const ms = performance.now() - before;
  if (made.length === 0) throw new Error('nothing was made');
  return ms;
}

/** Opens every level, one after the other. */
function longestAnswer(): number {
  let longest = 0;
  let nodes: readonly TreeNode[] = [];
  longest = timed(() => (nodes = rootNodes({ servers, broken: [], pins: [] }, 0)));
  const waiting = [...nodes];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const group = node;
    if (!group.isCollapsible) continue;
    longest = Math.max(
      longest,
      timed(() => (nodes = group.children?.() ?? [])),
    );
    waiting.push(...nodes);
  }
  return longest;
}

const work: Record<string, () => number> = {
  'tree, longest level': longestAnswer,
  picker: () => timed(() => toolPickRows(servers, [], 0)),
  'picker and search': () =>
    timed(() =>
      toolPickRows(servers, [], 0).filter(({ label, description }) =>
        `${label} ${description ?? ''}`.toLowerCase().includes('4999'),
      ),
    ),
};

for (const [name, run] of Object.entries(work)) {
  const times = Array.from({ length: 25 }, run);
  const [first = 0] = times;
  const median = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  console.log(`${`${count} tools: ${name}`.padEnd(32)} first ${first.toFixed(1)} ms   warm ${median.toFixed(1)} ms`);
}
