import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerView } from '../../../src/core/catalog/hostTypes.js';
import { GatewayLists } from '../../../src/core/gateway/gatewayLists.js';
import { GatewayNames } from '../../../src/core/gateway/gatewayNames.js';
import { PublicUris } from '../../../src/core/gateway/publicUris.js';
import { serverView } from '../../support/serverViews.js';

function server(id: string, count: number): ServerView {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool ${index}`,
    description: `The tool ${index} of ${id}`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  }));
  const resources = Array.from({ length: count }, (_, index) => ({
    name: `r${index}`,
    uri: `https://x.example/${index}`,
  }));
  return serverView(id, { features: { tools, resources } });
}

test('[GW16] long lists are merged in turns: other work runs in between, and the previous lists stay valid', async () => {
  let views = [server('one', 1)];
  const lists = new GatewayLists(
    () => views,
    new GatewayNames(undefined),
    new PublicUris(),
    () => [],
  );
  await lists.fresh();
  assert.equal(lists.tools.size, 1);
  assert.equal(lists.fresh(), undefined);
  views = Array.from({ length: 10 }, (_, index) => server(`s${index}`, 2_000));
  lists.invalidate();
  let turns = 0;
  let isOver = false;
  const sizes = new Set<number>();
  const other = () => {
    turns++;
    sizes.add(lists.tools.size);
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  await lists.fresh();
  isOver = true;
  assert.ok(turns > 1, `${turns} turns of other work`);
  assert.deepEqual([...sizes].slice(0, 1), [1]);
  assert.equal(lists.tools.size, 20_000);
  assert.equal(lists.resources.length, 20_000);
});

test('[GW16] a change during a merge is merged before the list is given', async () => {
  let views = [server('one', 3_000)];
  const lists = new GatewayLists(
    () => views,
    new GatewayNames(undefined),
    new PublicUris(),
    () => [],
  );
  const first = lists.fresh();
  views = [server('one', 3_001)];
  lists.invalidate();
  await first;
  assert.equal(lists.tools.size, 3_001);
});
