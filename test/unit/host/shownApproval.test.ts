import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import type { ConfigSource, InputDefinition } from '../../../src/core/config/serverDefinition.js';
import { entryAsRead, hashAsRead, isSameDefinition } from '../../../src/core/interchange/portableDefinition.js';
import { scratchSource, ScratchServers } from '../../../src/core/registry/scratchServers.js';
import { headlessHost } from '../../support/headlessHost.js';

const odd = path.resolve('test/fixtures/servers/odd.mjs');
const file: ConfigSource = { id: 'vscode:/w', kind: 'vscode', label: '.vscode/mcp.json', folderPath: process.cwd() };
const fields = (mode = 'ok') => ({ command: process.execPath, args: [odd, mode] });

/** A host with one workspace file, whose questions are counted and denied. */
function fileHost(servers: Record<string, unknown>, inputs: readonly InputDefinition[] = []) {
  const content = { servers };
  const changed = new Emitter<void>();
  const asked: string[] = [];
  const configuration = {
    read: () => Promise.resolve([{ source: file, text: JSON.stringify({ ...content, inputs }) }]),
    onDidChange: changed.event,
  };
  const scratch = new ScratchServers(configuration);
  const { host } = headlessHost({
    servers: {},
    ports: {
      configuration: scratch,
      trust: {
        isWorkspaceTrusted: () => true,
        onDidGrantTrust: new Emitter<void>().event,
        confirmStart: ({ id }) => {
          asked.push(id);
          return Promise.resolve('deny');
        },
      },
    },
  });
  const read = () =>
    new Promise<void>((resolve) => {
      const listener = host.servers.onDidChange(({ server }) => {
        if (server !== undefined) return;
        listener.dispose();
        resolve();
      });
    });
  const edit = async (next: Record<string, unknown>) => {
    content.servers = next;
    const done = read();
    changed.fire();
    await done;
  };
  return { host, asked, edit, scratch, read };
}

test('[approval.shown] a definition that was shown in full starts without a question, and no other does', async () => {
  const { host, asked, edit } = fileHost({ a: fields() });
  await host.open();
  try {
    await host.storedValues.approveShown('a', hashAsRead('a', fields(), [], file) ?? '');
    await host.lifecycle.start('a');
    assert.deepEqual([asked, host.servers.get('a')?.state.kind], [[], 'running']);
    await host.lifecycle.stop('a');
    await edit({ a: fields('crlf') });
    await assert.rejects(host.lifecycle.start('a'), { code: 'not-trusted' });
    assert.deepEqual(asked, ['a']);
    // What is shown now is not what the file says.
    await host.storedValues.approveShown('a', hashAsRead('a', fields('slow'), [], file) ?? '');
    await assert.rejects(host.lifecycle.start('a'), { code: 'not-trusted' });
    assert.deepEqual(asked, ['a', 'a']);
  } finally {
    await host.close();
  }
});

test('[approval.shown] files of the workspace that decide what runs are asked about, because the page does not show them', async () => {
  const npx = { command: 'npx', args: ['-y', 'some-package'] };
  const { host, asked } = fileHost({ a: npx });
  await host.open();
  try {
    await host.storedValues.approveShown('a', hashAsRead('a', npx, [], file) ?? '');
    await assert.rejects(host.lifecycle.start('a'), { code: 'not-trusted' });
    assert.deepEqual(asked, ['a']);
  } finally {
    await host.close();
  }
});

test('[approval.shown] a default value of an input is asked about, because the page does not show it', async () => {
  const fieldsOf = () => ({ command: process.execPath, args: ['--require', '${input:module}', odd, 'ok'] });
  for (const [input, questions] of [
    [{ id: 'module', type: 'promptString', password: true, default: '/w/evil.cjs' }, ['a']],
    [{ id: 'module', type: 'promptString', password: true }, []],
  ] as const) {
    const { host, asked } = fileHost({ a: fieldsOf() }, [input]);
    await host.open();
    try {
      await host.storedValues.approveShown('a', hashAsRead('a', fieldsOf(), [input], file) ?? '');
      await assert.rejects(host.lifecycle.start('a'));
      assert.deepEqual(asked, questions);
    } finally {
      await host.close();
    }
  }
});

test('[approval.shown] includes the value of an input that the user typed on the page, and no other value', async () => {
  const input: InputDefinition = { id: 'key', type: 'promptString', password: true };
  const withKey = { command: process.execPath, args: [odd, 'ok'], env: { NODE_OPTIONS: '${input:key}' } };
  const { host, asked } = fileHost({ a: withKey }, [input]);
  await host.open();
  try {
    await host.storedValues.keepInput('a', 'key', '--no-warnings');
    await host.storedValues.approveShown('a', hashAsRead('a', withKey, [input], file) ?? '');
    await host.lifecycle.start('a');
    assert.deepEqual(asked, []);
    await host.storedValues.keepInput('a', 'key', '--no-deprecation');
    await assert.rejects(host.lifecycle.restart('a'), { code: 'not-trusted' });
    assert.deepEqual(asked, ['a']);
  } finally {
    await host.close();
  }
});

test('a saved definition is recognized only after the host has read it, also when only a timeout changed', async () => {
  const { host, edit } = fileHost({ a: fields() });
  await host.open();
  try {
    const next = { ...fields(), timeoutMs: 61_000, env: { B: '1', A: '2' } };
    const before = { ...next, timeoutMs: undefined };
    await edit({ a: before });
    const isRead = () => {
      const [saved, entry] = [entryAsRead('a', next, [], file), host.servers.get('a')?.entry];
      return saved !== undefined && entry !== undefined && isSameDefinition(entry, saved);
    };
    assert.equal(hashAsRead('a', next, [], file), host.servers.get('a')?.entry.hash);
    assert.equal(isRead(), false);
    await edit({ a: next });
    assert.equal(isRead(), true);
  } finally {
    await host.close();
  }
});

test('after an edit of a failed server its failure is gone until the next start', async () => {
  const { host, edit } = fileHost({ a: { command: 'no-such-program-of-mcp-deck' } });
  await host.open();
  try {
    const approve = (one: object) => host.storedValues.approveShown('a', hashAsRead('a', { ...one }, [], file) ?? '');
    await approve({ command: 'no-such-program-of-mcp-deck' });
    await assert.rejects(host.lifecycle.start('a'), { code: 'spawn-failed' });
    assert.equal(host.servers.get('a')?.state.kind, 'failed');
    await edit({ a: fields() });
    const view = host.servers.get('a');
    assert.deepEqual([view?.state.kind, view?.isChanged], ['stopped', true]);
    await approve(fields());
    await host.lifecycle.start('a');
    assert.equal(host.servers.get('a')?.isChanged, undefined);
  } finally {
    await host.close();
  }
});

test('a scratch server is asked about unless it was shown, comes after the others, and is gone when it is removed', async () => {
  const { host, asked, scratch, read } = fileHost({ a: fields() });
  await host.open();
  try {
    const added = read();
    scratch.set('a', { fields: fields(), inputs: [] });
    await added;
    assert.deepEqual(
      host.servers.list().map(({ id }) => id),
      ['a', 'a (scratch)'],
    );
    const id = 'a (scratch)';
    await assert.rejects(host.lifecycle.start(id), { code: 'not-trusted' });
    await host.storedValues.approveShown(id, hashAsRead('a', fields(), [], scratchSource('a')) ?? '');
    await host.lifecycle.start(id);
    assert.deepEqual([asked, host.servers.get(id)?.state.kind], [[id], 'running']);
    const removed = read();
    scratch.remove('a');
    await removed;
    assert.equal(host.servers.get(id), undefined);
  } finally {
    await host.close();
  }
});

test('[scratch.inputs] an input belongs to the scratch server that declared it', async () => {
  const { host, scratch, read } = fileHost({});
  await host.open();
  try {
    const withKey = { ...fields(), env: { ACME_KEY: '${input:key}' } };
    const input = (description: string, isSecret: boolean) => [
      { id: 'key', type: 'promptString' as const, description, ...(isSecret ? { password: true } : {}) },
    ];
    scratch.set('one', { fields: withKey, inputs: input('Key of one', true) });
    scratch.set('two', { fields: withKey, inputs: input('Key of two', false) });
    scratch.set('none', { fields: withKey, inputs: [] });
    while (!host.servers.get('none')) await read();
    const inputsOf = (id: string) => host.servers.get(id)?.entry.inputs;
    assert.deepEqual(inputsOf('one'), input('Key of one', true));
    assert.deepEqual(inputsOf('two'), input('Key of two', false));
    assert.deepEqual(inputsOf('none'), []);
    await host.storedValues.keepInput('one', 'key', 'typed-for-one');
    assert.deepEqual(
      (await host.storedValues.inputs()).map(({ server }) => server),
      ['one'],
    );
  } finally {
    await host.close();
  }
});
