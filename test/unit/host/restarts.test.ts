import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import type { FileChanges } from '../../../src/core/host/ports.js';
import { makeHost, server, withHost } from './memoryHost.js';

test('the servers that ran last start again with the next window', async () => {
  const state = new Map<string, unknown>();
  const first = makeHost({ user: { a: server(), b: server() }, state });
  await withHost(first, async (host) => {
    await host.lifecycle.start('a');
    await host.lifecycle.start('b');
    await host.lifecycle.stop('b');
  });
  const second = makeHost({ user: { a: server(), b: server() }, state });
  await withHost(second, async (host) => {
    while (host.servers.get('a')?.state.kind !== 'running') await new Promise((resolve) => setImmediate(resolve));
    assert.equal(host.servers.get('b')?.state.kind, 'stopped');
  });
});

describe('[recovery] a restart that cannot start leaves the server running', () => {
  const process = (host: McpHost) => host.servers.get('a')?.endpoint?.pid;
  const lastLine = ({ logged }: ReturnType<typeof makeHost>) => logged.at(-1) ?? '';

  test('when the changed definition is not approved', async () => {
    const options: Parameters<typeof makeHost>[0] = { workspace: { a: server() } };
    const made = makeHost(options);
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const before = process(host);
      await made.edit({ a: { ...server(), env: { ADDED: '1' } } });
      options.answer = 'deny';
      await assert.rejects(host.lifecycle.restart('a'), {
        code: 'not-trusted',
        data: { server: 'a', isStillRunning: true, source: '.vscode/mcp.json' },
      });
      assert.deepEqual(
        [host.servers.get('a')?.state.kind, process(host), host.servers.get('a')?.needsRestart],
        ['running', before, true],
      );
      assert.match(
        lastLine(made),
        /^warn The restart failed: .*Needs your approval.* The server continues to run with its previous definition\.$/,
      );
      assert.deepEqual(
        await host.calls.runTool({ server: 'a', tool: 'echo', arguments: { text: 'hi' } }, { caller: 'user' }),
        { content: [{ type: 'text', text: 'hi' }] },
      );
      options.answer = 'allow';
      await host.lifecycle.restart('a');
      assert.deepEqual(
        [host.servers.get('a')?.needsRestart, process(host) === before, made.asked.length],
        [false, false, 3],
      );
    });
  });

  test('when a variable or a value is missing', async () => {
    const made = makeHost({ workspace: { a: server() } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const before = process(host);
      await made.edit({ a: { ...server(), env: { MISSING: '${env:MCP_DECK_NO_SUCH_VARIABLE}' } } });
      assert.equal(process(host), before);
      await assert.rejects(host.lifecycle.restart('a'), { code: 'bad-configuration' });
      await made.edit({ a: { ...server(), env: { ASKED: '${input:unknown}' } } });
      await assert.rejects(host.lifecycle.restart('a'), { code: 'bad-configuration' });
      assert.deepEqual([host.servers.get('a')?.state.kind, process(host)], ['running', before]);
    });
  });

  test('when changed files cause it, and no question is shown', async () => {
    let changed: ((file: string) => void) | undefined;
    const fileChanges: FileChanges = {
      watch: (_folder, _patterns, onDidChange) => {
        changed = onDidChange;
        return { dispose: () => undefined };
      },
    };
    const made = makeHost({
      workspace: { a: { ...server(), envFile: '${workspaceFolder}/.env', dev: { watch: '**/*.js' } } },
      fileChanges,
    });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const before = process(host);
      made.envFile.text = 'NODE_OPTIONS=--require ./other.js';
      changed?.('main.js');
      await untilLogged(made, /^warn The restart failed: /);
      assert.deepEqual([host.servers.get('a')?.state.kind, process(host), made.asked.length], ['running', before, 1]);
    });
  });
});

describe('[Y5] an automatic restart after a crash never asks the user', () => {
  /** Kills the process of a server that the user started, and waits until the automatic restart has ended. */
  async function crash(host: McpHost): Promise<void> {
    const pid = host.servers.get('a')?.endpoint?.pid;
    assert.ok(pid !== undefined);
    globalThis.process.kill(pid, 'SIGKILL');
    const isOver = () =>
      host.servers.get('a')?.endpoint?.pid !== pid &&
      ['needsTrust', 'needsInput', 'running'].includes(host.servers.get('a')?.state.kind ?? '');
    while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  test('to approve a change', async () => {
    const made = makeHost({ workspace: { a: server() }, settings: { restartOnCrash: true } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a', { interactive: true });
      await made.edit({ a: { ...server(), env: { ADDED: '1' } } });
      await crash(host);
      assert.deepEqual([made.asked.length, host.servers.get('a')?.state.kind], [1, 'needsTrust']);
    });
  });

  test('for a value', async () => {
    const values = ['first', 'second'];
    const made = makeHost({
      workspace: { a: { ...server(), env: { KEY: '${input:key}' } } },
      inputs: [{ id: 'key', type: 'promptString' }],
      values,
      settings: { restartOnCrash: true },
    });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a', { interactive: true });
      for (const stored of await host.storedValues.inputs()) await host.storedValues.forgetInput(stored);
      await crash(host);
      assert.deepEqual([values, host.servers.get('a')?.state.kind], [['second'], 'needsInput']);
    });
  });
});

test('a server shows that its start waits for the user until the user has answered', async () => {
  const during: (boolean | undefined)[] = [];
  const made = makeHost({ workspace: { a: server() } });
  await withHost(made, async (host) => {
    const isAsking = () => {
      const state = host.servers.get('a')?.state;
      return state?.kind === 'starting' ? state.isAsking : undefined;
    };
    made.onAsked.edit = () => {
      during.push(isAsking());
    };
    host.servers.onDidChange(() => {
      if (host.servers.get('a')?.state.kind === 'starting') during.push(isAsking());
    });
    await host.lifecycle.start('a', { interactive: true });
    assert.ok(during.includes(true));
    assert.equal(during.at(-1), undefined);
  });
});

/** Resolves when a matching line is logged. */
async function untilLogged({ logged }: ReturnType<typeof makeHost>, line: RegExp): Promise<void> {
  while (!logged.some((one) => line.test(one))) await new Promise((resolve) => setImmediate(resolve));
}

test('[recovery] a restarted server gets its log level and subscriptions back, and updates continue', async () => {
  const made = makeHost({ workspace: { a: server('remember') } });
  await withHost(made, async (host) => {
    let updates = 0;
    const subscription = await host.calls.subscribe({ server: 'a', uri: 'x:y' }, () => updates++);
    await host.lifecycle.restart('a');
    const { content } = await host.calls.runTool({ server: 'a', tool: 'received' }, { caller: 'user' });
    const received = content[0]?.type === 'text' ? (JSON.parse(content[0].text) as unknown[]) : [];
    assert.deepEqual(
      received.filter(([method]: any) => method === 'logging/setLevel' || method === 'resources/subscribe'),
      [
        ['logging/setLevel', 'info'],
        ['resources/subscribe', 'x:y'],
      ],
    );
    assert.equal(updates, 2);
    subscription.dispose();
  });
});
