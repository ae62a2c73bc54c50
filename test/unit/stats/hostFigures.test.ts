import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import type { ServerView } from '../../../src/core/catalog/hostTypes.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import type { FileChanges } from '../../../src/core/host/ports.js';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';

const fixture = (name: string) => path.resolve('test/fixtures/servers', name);
const chatter = { command: process.execPath, args: [fixture('chatter.mjs')] };
const caller = { caller: 'user' } as const;

describe('a host counts', () => {
  test('calls by outcome, messages both ways, and remembers the last error of a call', async () => {
    const { host } = headlessHost({ servers: { chatter } });
    await host.open();
    try {
      assert.deepEqual(host.servers.figures('chatter').calls, { ok: 0, failed: 0, cancelled: 0 });
      for (const tool of ['say', 'say', 'fail']) await host.calls.runTool({ server: 'chatter', tool }, caller);
      await assert.rejects(host.calls.runTool({ server: 'chatter', tool: 'refuse' }, caller));
      const stop = new AbortController();
      const cancelled = host.calls.runTool({ server: 'chatter', tool: 'say' }, { ...caller, signal: stop.signal });
      stop.abort();
      await assert.rejects(cancelled);
      const { calls, tools, starts, crashes, lastError, sent, received } = host.servers.figures('chatter');
      assert.deepEqual([calls.ok, calls.failed, calls.cancelled, starts, crashes], [2, 2, 1, 1, 0]);
      assert.deepEqual(
        tools.map(({ tool, ok, failed }) => [tool, ok, failed]),
        [
          ['say', 2, 0],
          ['fail', 0, 1],
          ['refuse', 0, 1],
        ],
      );
      assert.ok((calls.p50Ms ?? 0) > 0 && (calls.p95Ms ?? 0) >= (calls.p50Ms ?? 0));
      assert.deepEqual([lastError?.what, lastError?.error.message], ['refuse', 'No such thing']);
      assert.ok(sent.messages >= 6 && received.messages >= 5 && sent.characters > received.messages);
    } finally {
      await host.close();
    }
  });

  test('crashes of running servers, not failed starts', async () => {
    const { host } = headlessHost({
      servers: { failing: { command: process.execPath, args: [fixture('odd.mjs'), 'exit-on-start'] } },
    });
    await host.open();
    try {
      await assert.rejects(host.lifecycle.start('failing'));
      const { starts, crashes, lastError } = host.servers.figures('failing');
      assert.deepEqual([starts, crashes, lastError?.what], [0, 0, undefined]);
      assert.match(lastError?.error.message ?? '', /cannot find the configuration/);
    } finally {
      await host.close();
    }
  });
});

describe('a host watches files for a server', () => {
  /** The watched files, and a function that reports a change. */
  function watcher() {
    const asked: { folder: string; patterns: readonly string[] }[] = [];
    const changes = new Emitter<string>();
    const fileChanges: FileChanges = {
      watch: (folder, patterns, onDidChange) => {
        asked.push({ folder, patterns });
        return changes.event(onDidChange);
      },
    };
    return { asked, fileChanges, touch: (file: string) => changes.fire(file) };
  }

  test('of its own settings in the first folder, from its start to its stop', async () => {
    const { asked, fileChanges } = watcher();
    const { host, logs } = headlessHost({
      servers: { chatter: { ...chatter, dev: { watch: 'src/**' } } },
      ports: { fileChanges },
    });
    await host.open();
    try {
      assert.deepEqual([asked, host.servers.get('chatter')?.watched], [[], undefined]);
      await host.lifecycle.start('chatter');
      assert.deepEqual(
        [asked, host.servers.get('chatter')?.watched],
        [[{ folder: process.cwd(), patterns: ['src/**'] }], ['src/**']],
      );
      assert.ok(logs.get('chatter')?.some((line) => line.includes('Watching src/**')));
      await host.lifecycle.stop('chatter');
      assert.equal(host.servers.get('chatter')?.watched, undefined);
    } finally {
      await host.close();
    }
  });

  test('and restarts it without a question: one with an unapproved definition keeps running, and its log gives the reason', async () => {
    const { fileChanges, touch } = watcher();
    const source: ConfigSource = {
      id: 'vscode:w',
      kind: 'vscode',
      label: '.vscode/mcp.json',
      folderPath: process.cwd(),
    };
    const read = new Emitter<void>();
    let args = chatter.args;
    let asked = 0;
    const { host, logs } = headlessHost({
      servers: {},
      ports: {
        fileChanges,
        configuration: {
          read: () =>
            Promise.resolve([
              {
                source,
                text: JSON.stringify({ servers: { chatter: { ...chatter, args, dev: { watch: ['src/**'] } } } }),
              },
            ]),
          onDidChange: read.event,
        },
        trust: {
          isWorkspaceTrusted: () => true,
          onDidGrantTrust: read.event,
          confirmStart: () => (asked++, Promise.resolve('allow')),
        },
      },
    });
    await host.open();
    try {
      await host.lifecycle.start('chatter');
      const comesTo = (holds: (view: ServerView | undefined) => boolean) =>
        new Promise<void>((resolve) =>
          host.servers.onDidChange(() => (holds(host.servers.get('chatter')) ? resolve() : undefined)),
        );
      const again = comesTo((view) => view?.state.kind === 'starting').then(() =>
        comesTo((view) => view?.state.kind === 'running'),
      );
      touch('src/a.ts');
      await again;
      assert.deepEqual([asked, host.servers.figures('chatter').starts], [1, 2]);
      args = [...chatter.args, '--changed'];
      const changed = comesTo((view) => view?.needsRestart === true);
      read.fire();
      await changed;
      touch('src/a.ts');
      await until(() => logs.get('chatter')?.some((line) => line.includes('The restart failed')) === true);
      assert.deepEqual(
        [asked, host.servers.get('chatter')?.state.kind, host.servers.figures('chatter').starts],
        [1, 'running', 2],
      );
    } finally {
      await host.close();
    }
  });
});
