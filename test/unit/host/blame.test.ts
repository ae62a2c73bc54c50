/** Messages name the side that ended or refused something, and do not blame a server for actions of this side. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import { drawNodes } from '../../../src/core/present/tree/treeNode.js';
import { failureLine } from '../../../src/core/present/failure/failureText.js';
import { serverNode } from '../../../src/core/present/tree/serverNodes.js';
import { summarizeServer } from '../../../src/core/present/server/serverSummary.js';
import { ProtocolError } from '../../../src/core/protocol/jsonRpc.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { headlessHost } from '../../support/headlessHost.js';
import { ScriptedServer } from '../../support/scriptedServer.js';

/**
 * A legacy server over stdio. `methods` is the source text of object members: functions from a request to a result, or
 * to undefined for no answer.
 */
const scripted = (capabilities: string, methods: string) => ({
  command: process.execPath,
  args: [
    '-e',
    `const methods = { initialize: () => ({ protocolVersion: '2025-11-25', capabilities: ${capabilities}, serverInfo: { name: 's', version: '1' } }), ${methods} }; let rest = ''; process.stdin.on('data', (chunk) => { rest += chunk; const lines = rest.split('\\u000a'); rest = lines.pop(); for (const line of lines) { const { id, method, params } = JSON.parse(line); if (id === undefined) continue; const known = methods[method]; try { const result = known ? known(params) : (() => { throw { code: -32601, message: 'Method not found' }; })(); if (result) console.log(JSON.stringify({ jsonrpc: '2.0', id, result })); } catch (error) { console.log(JSON.stringify({ jsonrpc: '2.0', id, error })); } } });`,
  ],
  protocol: 'legacy',
});
const slow = scripted(
  '{ tools: {} }',
  `'tools/list': () => ({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }), 'tools/call': () => { console.error('called'); }`,
);

async function interrupted(how: 'restart' | 'stop'): Promise<string> {
  const { host, logs } = headlessHost({ servers: { slow } });
  await host.open();
  try {
    await host.lifecycle.start('slow');
    const call = host.calls.runTool({ server: 'slow', tool: 'wait' }, { caller: 'user' }).then(
      () => 'answered',
      (error: HostError) => failureLine(error, 'slow'),
    );
    while (!logs.get('slow')?.some((line) => line.includes('called')))
      await new Promise((resolve) => setImmediate(resolve));
    await (how === 'restart' ? host.lifecycle.restart('slow') : host.lifecycle.stop('slow'));
    return await call;
  } finally {
    await host.close();
  }
}

describe('[K7] a call that this side ended', () => {
  test('by a restart is reported as such', async () => {
    assert.equal(await interrupted('restart'), 'The server "slow" was restarted before it responded. Try again.');
  });

  test('by a stop is reported as such', async () => {
    assert.equal(
      await interrupted('stop'),
      'The server "slow" was stopped before it responded. Start the server, and then try again.',
    );
  });
});

describe('[K7] a request of the server that this side refused', () => {
  test('in the middle of a call is not reported as unknown to the server', async () => {
    const server = new ScriptedServer().modern().respondTo('tools/call', () => ({
      resultType: 'input_required',
      inputRequests: { a: { method: 'sampling/createMessage', params: {} } },
    }));
    const session = await McpSession.open(server.openTransport, {
      client: { name: 'test', version: '1' },
      protocol: '2026-07-28',
    });
    await assert.rejects(session.callTool('x', {}), (error: HostError) => {
      assert.equal(error.code, 'input-refused');
      assert.match(
        failureLine(error, 's'),
        /^The server "s" requires "sampling\/createMessage" before it responds\. MCP Deck refused the request, because it does not offer this feature to servers\./,
      );
      return true;
    });
    await session.close();
  });

  test('and whose refusal the server forwards as its own answer is not reported as unknown to the server', () => {
    const line = failureLine(new ProtocolError(-32601, 'Method not found: sampling/createMessage'), 's');
    assert.match(
      line,
      /^The server "s" could not finish, because MCP Deck refused its request "sampling\/createMessage"\./,
    );
  });
});

test('[K8] a server whose lists all failed does not look like one without tools, and lists again on request', async () => {
  const { host } = headlessHost({
    servers: {
      broken: scripted(
        '{ tools: {}, prompts: {} }',
        `'tools/list': () => { methods.count = (methods.count ?? 0) + 1; if (methods.count > 2) return { tools: [{ name: 'late', inputSchema: { type: 'object' } }] }; throw { code: -32603, message: 'no database' }; }, 'prompts/list': () => { throw { code: -32603, message: 'no database' }; }`,
      ),
    },
  });
  await host.open();
  try {
    await host.lifecycle.start('broken');
    const view = host.servers.get('broken');
    assert.ok(view);
    const tree = drawNodes([serverNode(view, Date.now())]);
    assert.match(
      tree,
      /^\(warning\) broken {2}stdio · its lists could not be loaded\n {2}\(warning\) {3}Tools could not be listed: no database \(code -32603\)\. Select to refresh\.\n {2}\(warning\) {3}Prompts could not be listed: no database/,
    );
    assert.deepEqual(summarizeServer(view).failedLists, [
      { list: 'tools', reason: 'no database (code -32603)' },
      { list: 'prompts', reason: 'no database (code -32603)' },
    ]);
    // Lists once more before it fails.
    await assert.rejects(host.calls.findTool('broken', 'late'), (error: HostError) => {
      assert.equal(error.code, 'list-failed');
      assert.match(
        failureLine(error, 'broken'),
        /^The server "broken" could not list its tools, so MCP Deck cannot tell whether it has "late": no database/,
      );
      return true;
    });
    assert.equal((await host.calls.findTool('broken', 'late')).name, 'late');
    await host.lifecycle.listAgain('broken');
    assert.deepEqual(
      host.servers.get('broken')?.features?.failedLists?.map(({ list }) => list),
      ['prompts'],
    );
  } finally {
    await host.close();
  }
});

test('[K7] an approved server without a required value waits for the value, not for trust', async () => {
  const { host } = headlessHost({
    servers: {},
    ports: {
      configuration: {
        read: () =>
          Promise.resolve([
            {
              source: { id: 'user', kind: 'user', label: 'User settings' },
              value: { s: { command: process.execPath, args: ['-e', '', '${input:key}'] } },
              inputs: [{ id: 'key', type: 'promptString' }],
            },
          ]),
        onDidChange: () => ({ dispose: () => undefined }),
      },
    },
  });
  await host.open();
  try {
    await assert.rejects(host.lifecycle.start('s', { interactive: false }), {
      code: 'needs-input',
      data: { input: 'key', server: 's' },
    });
    const view = host.servers.get('s');
    assert.ok(view?.state.kind === 'needsInput' && view.state.error.data.input === 'key');
    assert.equal(view && summarizeServer(view).state, 'needsInput');
  } finally {
    await host.close();
  }
});
