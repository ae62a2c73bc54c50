import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import Ajv2020 from 'ajv/dist/2020.js';
import type { FileDiagnostic } from '../../../src/core/workspaceServer/workspaceAccess.js';
import { settle } from '../../support/manualClock.js';
import type { Message } from '../serving/peers.js';
import { setup } from './fakeWorkspace.js';

const range = { startLine: 3, startColumn: 1, endLine: 3, endColumn: 5 };

test('all tools only read, and describe each argument with title, example and default', async (t) => {
  const { client } = await setup(t, {});
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['find_files', 'read_file', 'diagnostics', 'document_symbols', 'workspace_symbols'],
  );
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: true });
  for (const tool of tools) {
    assert.equal(tool.annotations?.readOnlyHint, true);
    assert.ok(tool.title && tool.description && tool.outputSchema);
    ajv.compile(tool.inputSchema);
    ajv.compile(tool.outputSchema);
    for (const [name, property] of Object.entries((tool.inputSchema.properties ?? {}) as Record<string, Message>)) {
      assert.ok(
        property['title'] && property['description'] && Array.isArray(property['examples']),
        `${tool.name}.${name}`,
      );
      const isRequired = tool.inputSchema.required?.includes(name) ?? false;
      const check = ajv.compile(property);
      for (const example of property['examples'] as unknown[])
        assert.ok(check(example), `${tool.name}.${name}: ${JSON.stringify(example)}`);
      if (!isRequired && !['path', 'endLine'].includes(name))
        assert.ok(property['default'] !== undefined && check(property['default']), `${tool.name}.${name}`);
    }
  }
});

test('arguments of the wrong kind are refused by the tools themselves', async (t) => {
  const { call } = await setup(t, { 'ws/a.txt': '' });
  for (const [name, args, reason] of [
    ['find_files', {}, /"pattern" must be a string/],
    ['find_files', { pattern: 'x'.repeat(501) }, /longer than 500/],
    ['find_files', { pattern: '**', limit: 0 }, /whole number from 1 to 1000/],
    ['read_file', { path: 7 }, /"path" must be a string/],
    ['read_file', { path: 'a.txt', startLine: 1.5 }, /whole number/],
    ['diagnostics', { severity: 'fatal' }, /one of error, warning, information, hint/],
    ['workspace_symbols', { query: [] }, /"query" must be a string/],
  ] as const) {
    const { text, isError } = await call(name, args);
    assert.ok(isError);
    assert.match(text, reason);
  }
});

test('diagnostics are filtered by file, severity and number, and stay within the workspace', async (t) => {
  const { call, workspace, top } = await setup(t, { 'ws/a.ts': '', 'ws/b.ts': '', 'other/c.ts': '' });
  const problem = (severity: FileDiagnostic['severity'], message: string): FileDiagnostic => ({
    severity,
    message,
    range,
  });
  workspace.problems.set(join(top, 'ws/a.ts'), [
    { ...problem('error', 'broken'), source: 'ts', code: '2304' },
    problem('hint', 'unused'),
  ]);
  workspace.problems.set(join(top, 'ws/b.ts'), [problem('warning', 'odd'), problem('information', 'fyi')]);
  workspace.problems.set(join(top, 'other/c.ts'), [problem('error', 'elsewhere')]);
  workspace.problems.set(join(top, 'ws/gone.ts'), [problem('error', 'of a file that is gone')]);
  assert.equal((await call('diagnostics')).text, 'a.ts:3:1 error: broken (ts)\nb.ts:3:1 warning: odd');
  assert.equal((await call('diagnostics', { severity: 'error' })).text, 'a.ts:3:1 error: broken (ts)');
  assert.equal(
    (await call('diagnostics', { severity: 'hint', path: 'b.ts' })).text,
    'b.ts:3:1 warning: odd\nb.ts:3:1 information: fyi',
  );
  assert.deepEqual((await call('diagnostics', { limit: 1 })).structured, {
    diagnostics: [{ path: 'a.ts', severity: 'error', message: 'broken', range, source: 'ts', code: '2304' }],
    isTruncated: true,
  });
  assert.equal((await call('diagnostics', { path: '../other/c.ts' })).isError, true);
});

test('symbols of a file are its outline, and workspace symbols are only from the workspace', async (t) => {
  const { call, workspace, top } = await setup(t, { 'ws/a.ts': '', 'lib/b.ts': '' });
  workspace.outline.set(join(top, 'ws/a.ts'), [
    { name: 'A', kind: 'class', range, depth: 0 },
    { name: 'run', kind: 'method', range, depth: 1, container: 'A' },
  ]);
  workspace.symbols = [
    { name: 'A', kind: 'class', path: join(top, 'ws/a.ts'), range },
    { name: 'Abc', kind: 'class', path: join(top, 'lib/b.ts'), range },
    { name: 'Az', kind: 'enumMember', container: 'Z', path: join(top, 'ws/a.ts'), range },
  ];
  assert.equal((await call('document_symbols', { path: 'a.ts' })).text, 'class A (line 3)\n  method run (line 3)');
  assert.equal((await call('document_symbols', { path: 'a.ts', limit: 1 })).structured['isTruncated'], true);
  assert.equal((await call('workspace_symbols', { query: 'A' })).text, 'class A a.ts:3:1\nenumMember Az a.ts:3:1');
  const one = await call('workspace_symbols', { query: 'A', limit: 1 });
  assert.deepEqual([(one.structured['symbols'] as unknown[]).length, one.structured['isTruncated']], [1, true]);
});

test('open editors are resources with the text that the user sees; the list follows the editors', async (t) => {
  const { client, workspace, top, clock } = await setup(t, {
    'ws/a b.md': 'on disk',
    'ws/c.ts': 'code',
    'secret.txt': 'secret',
  });
  const path = join(top, 'ws', 'a b.md');
  const uri = pathToFileURL(path).href;
  const received: string[] = [];
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void received.push('list'));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void received.push(params.uri));
  assert.deepEqual((await client.listResources()).resources, []);
  workspace.openFile(path, 'in the editor');
  workspace.openFile(path);
  workspace.openFile(join(top, 'secret.txt'));
  await settle();
  assert.deepEqual(received.splice(0), ['list']);
  assert.deepEqual((await client.listResources()).resources, [
    { uri, name: 'a b.md', description: 'Open in an editor', mimeType: 'text/markdown' },
  ]);
  assert.deepEqual((await client.readResource({ uri })).contents, [
    { uri, mimeType: 'text/markdown', text: 'in the editor' },
  ]);
  for (const closed of [
    pathToFileURL(join(top, 'ws', 'c.ts')).href,
    pathToFileURL(join(top, 'secret.txt')).href,
    'file://host/x',
    'https://x',
    'a',
  ]) {
    await assert.rejects(client.readResource({ uri: closed }), { code: -32002 });
  }
  await client.subscribeResource({ uri });
  workspace.type(path, 'a');
  workspace.type(path, 'ab');
  await clock.advance(299);
  assert.deepEqual(received, []);
  await clock.advance(1);
  assert.deepEqual(received.splice(0), [uri]);
  workspace.closeFile(path);
  workspace.closeFile(path);
  await settle();
  assert.deepEqual(received, ['list']);
  await assert.rejects(client.readResource({ uri }), { code: -32002 });
});

test('the prompt contains the file, and completes its path with open editors first', async (t) => {
  const { client, workspace, top } = await setup(t, {
    'ws/src/app.ts': 'code()',
    'ws/src/apple.ts': '',
    'ws/[odd].ts': '',
    'secret.txt': '',
  });
  workspace.openFile(join(top, 'ws/src/apple.ts'));
  const complete = async (value: string, name = 'path'): Promise<string[]> =>
    (await client.complete({ ref: { type: 'ref/prompt', name: 'review_file' }, argument: { name, value } })).completion
      .values;
  assert.deepEqual(await complete('src/app'), ['src/apple.ts', 'src/app.ts']);
  assert.deepEqual(await complete('[odd'), ['[odd].ts']);
  assert.deepEqual(await complete('secret'), []);
  assert.deepEqual(await complete('x', 'focus'), []);
  const prompt = await client.getPrompt({ name: 'review_file', arguments: { path: 'src/app.ts', focus: 'names' } });
  assert.deepEqual(prompt.messages[0]?.content, {
    type: 'resource',
    resource: { uri: pathToFileURL(join(top, 'ws/src/app.ts')).href, mimeType: 'text/plain', text: 'code()' },
  });
  assert.match(JSON.stringify(prompt.messages[1]?.content), /review the file src\/app\.ts.*names/);
  await assert.rejects(client.getPrompt({ name: 'review_file', arguments: { path: '../secret.txt' } }), {
    code: -32602,
    message: /leads out/,
  });
});

test('without a folder every tool reports that', async (t) => {
  const { call, client } = await setup(t, {}, []);
  assert.match((await call('read_file', { path: 'a' })).text, /No folder is open/);
  assert.equal((await call('find_files', { pattern: '**' })).text, 'No file matches **.');
  assert.deepEqual((await client.listResources()).resources, []);
});
