import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TreeNode } from '../../src/core/present/tree/treeNode.js';
import { serverNode } from '../../src/core/present/tree/serverNodes.js';
import { toolView } from '../../src/core/present/form/toolView.js';
import { headlessHost } from '../support/headlessHost.js';

/** A server with picture addresses in every field where the specification allows them. */
const script = `
const [icons, out] = [[{ src: process.argv[1] + '/icon.png' }], (message) => process.stdout.write(JSON.stringify(message) + '\\n')];
const answers = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { name: 's', version: '1', icons } }),
  'tools/list': () => ({ tools: [{ name: 't', inputSchema: { type: 'object' }, icons }] }),
  'resources/list': () => ({ resources: [{ name: 'r', uri: 'r://1', icons }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ name: 'p', uriTemplate: 'r://{x}', icons }] }),
  'prompts/list': () => ({ prompts: [{ name: 'p', icons }] }),
};
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (id === undefined) continue;
    const result = answers[method]?.(params);
    out(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  }
});
`;

test('[V7] pictures of a server are not fetched: its lines have our own icons', async () => {
  let hits = 0;
  const trap = createServer((_request, response) => {
    hits++;
    response.end();
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
  const { host } = headlessHost({
    servers: {
      pictures: { command: process.execPath, args: ['-e', script.replaceAll('\n', ' '), address], protocol: 'legacy' },
    },
  });
  try {
    await host.open();
    await host.lifecycle.start('pictures');
    const view = host.servers.get('pictures');
    assert.ok(view?.features);
    assert.equal(view.features.tools[0]?.icons?.[0]?.src, `${address}/icon.png`);
    const nodes: TreeNode[] = [serverNode(view, Date.now())];
    for (let at = 0; at < nodes.length; at++) nodes.push(...(nodes[at]?.children?.() ?? []));
    assert.ok(nodes.length > 8, String(nodes.length));
    for (const node of nodes) {
      assert.match(node.icon?.name ?? 'none', /^[a-z-]+$/);
      assert.doesNotMatch(`${node.label}${node.description ?? ''}${node.tooltip?.(Date.now()) ?? ''}`, /!\[|<img/);
    }
    const [tool] = view.features.tools;
    assert.ok(tool);
    assert.doesNotMatch(JSON.stringify(toolView(tool)), /icon\.png/);
    assert.equal(hits, 0);
  } finally {
    await host.close();
    await new Promise((resolve) => trap.close(resolve));
  }
});
