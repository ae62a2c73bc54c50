import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import Ajv2020 from 'ajv/dist/2020.js';
import { Deferred } from '../../../src/core/base/deferred.js';
import { Emitter } from '../../../src/core/base/event.js';
import type { ExcludeRules } from '../../../src/core/workspaceServer/exclusions.js';
import { compileGlob } from '../../../src/core/workspaceServer/globRules.js';
import type { McpServer } from '../../../src/core/serving/mcpServer.js';
import { createWorkspaceServer } from '../../../src/core/workspaceServer/createWorkspaceServer.js';
import type {
  FileDiagnostic,
  FileSymbol,
  OpenEditor,
  WorkspaceAccess,
  WorkspaceSymbol,
} from '../../../src/core/workspaceServer/workspaceAccess.js';
import { maxReadLength } from '../../../src/core/workspaceServer/workspaceTools.js';
import type { WorkspaceFolder } from '../../../src/core/workspaceServer/workspacePaths.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import type { Message } from '../serving/peers.js';
import { OfficialEnd } from '../serving/peers.js';

const range = { startLine: 3, startColumn: 1, endLine: 3, endColumn: 5 };

/** An editor with files on disk and everything else in memory. */
class FakeWorkspace implements WorkspaceAccess {
  readonly editors: OpenEditor[] = [];
  readonly loaded = new Map<string, { text: string; isDirty: boolean }>();
  readonly problems = new Map<string, FileDiagnostic[]>();
  readonly outline = new Map<string, FileSymbol[]>();
  symbols: WorkspaceSymbol[] = [];
  rules: ExcludeRules = { '**/.git': true, '**/hidden': true };
  /** Blocks searches until it resolves. */
  gate: Promise<void> = Promise.resolve();
  readonly searching = new Deferred<AbortSignal>();
  private readonly editorsChanged = new Emitter<void>();
  private readonly textChanged = new Emitter<string>();
  readonly onDidChangeOpenEditors = this.editorsChanged.event;
  readonly onDidChangeText = this.textChanged.event;
  private readonly excludesChanged = new Emitter<void>();
  readonly onDidChangeExcludes = this.excludesChanged.event;
  timesRead = 0;

  constructor(readonly workspaceFolders: WorkspaceFolder[]) {}

  folders(): WorkspaceFolder[] {
    return this.workspaceFolders;
  }

  excludes(): ExcludeRules {
    this.timesRead++;
    return this.rules;
  }

  exclude(rules: ExcludeRules): void {
    this.rules = rules;
    this.excludesChanged.fire();
  }

  async findFiles(folder: WorkspaceFolder, glob: string, limit: number, signal: AbortSignal): Promise<string[]> {
    this.searching.resolve(signal);
    await this.gate;
    const matches = compileGlob(glob);
    const found: string[] = [];
    for (const entry of await readdir(folder.path, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory() || !matches(relative(folder.path, path)) || path.includes('/hidden/')) continue;
      found.push(path);
    }
    return found.slice(0, limit);
  }

  loadedText(path: string): { text: string; isDirty: boolean } | undefined {
    return this.loaded.get(path);
  }

  decode(bytes: Uint8Array): Promise<string> {
    return Promise.resolve(Buffer.from(bytes).toString('utf8'));
  }

  diagnostics(path?: string): { path: string; diagnostics: FileDiagnostic[] }[] {
    return [...this.problems]
      .filter(([file]) => path === undefined || file === path)
      .map(([file, diagnostics]) => ({ path: file, diagnostics }));
  }

  documentSymbols(path: string): Promise<FileSymbol[]> {
    return Promise.resolve(this.outline.get(path) ?? []);
  }

  workspaceSymbols(query: string): Promise<WorkspaceSymbol[]> {
    return Promise.resolve(this.symbols.filter(({ name }) => name.includes(query)));
  }

  openEditors(): OpenEditor[] {
    return this.editors;
  }

  openFile(path: string, text?: string): void {
    this.editors.push({ path, isDirty: text !== undefined });
    if (text !== undefined) this.loaded.set(path, { text, isDirty: true });
    this.editorsChanged.fire();
  }

  closeFile(path: string): void {
    this.editors.splice(
      this.editors.findIndex((editor) => editor.path === path),
      1,
    );
    this.loaded.delete(path);
    this.editorsChanged.fire();
  }

  type(path: string, text: string): void {
    this.loaded.set(path, { text, isDirty: true });
    this.textChanged.fire(path);
  }

  get hasListeners(): boolean {
    return this.editorsChanged.hasListeners || this.textChanged.hasListeners || this.excludesChanged.hasListeners;
  }
}

interface Setup {
  top: string;
  workspace: FakeWorkspace;
  /** Lines of its log, each with its level. */
  logged: string[];
  server: McpServer;
  client: Client;
  clock: ManualClock;
  /** Calls a tool; returns its text, and the other messages. */
  call: (name: string, args?: Message) => Promise<{ text: string; structured: Message; isError: boolean }>;
}

async function setup(t: TestContext, files: Record<string, string | Buffer>, folderNames = ['ws']): Promise<Setup> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'mcp-deck-workspace-')));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(top, name)), { recursive: true });
    await writeFile(join(top, name), content);
  }
  const workspace = new FakeWorkspace(folderNames.map((name) => ({ name, path: join(top, name) })));
  const clock = new ManualClock();
  const logged: string[] = [];
  const server = createWorkspaceServer(workspace, {
    version: '1.0.0',
    clock,
    log: { write: (level, line) => void logged.push(`${level} ${line}`) },
  });
  const client = new Client({ name: 'sdk', version: '1' });
  const [mine, its] = InMemoryTransport.createLinkedPair();
  await server.connect(new OfficialEnd(its));
  await client.connect(mine);
  // The official client checks structured content against the output schemas it has seen.
  await client.listTools();
  t.after(async () => {
    await client.close();
    server.dispose();
    assert.equal(workspace.hasListeners, false, 'no listener of the editor is left');
    await rm(top, { recursive: true });
  });
  return {
    top,
    workspace,
    server,
    client,
    clock,
    logged,
    call: async (name, args = {}) => {
      const result = (await client.callTool({ name, arguments: args })) as Message;
      return {
        text: (result['content'] as Message[]).map((block) => block['text'] as string).join('\n'),
        structured: result['structuredContent'] as Message,
        isError: result['isError'] === true,
      };
    },
  };
}

test('[patterns.bounded] files.exclude is read once for each value, and one that is too complex hides all files and is logged once', async (t) => {
  const { call, workspace, logged } = await setup(t, { 'ws/a.txt': 'one', 'ws/b.txt': 'two' });
  const read = async (path: string) => (await call('read_file', { path })).isError;
  assert.deepEqual([await read('a.txt'), await read('b.txt'), workspace.timesRead], [false, false, 1]);
  workspace.exclude({ [`${'{'.repeat(17)}x${'}'.repeat(17)}`]: true });
  assert.deepEqual([await read('a.txt'), await read('b.txt'), workspace.timesRead], [true, true, 2]);
  assert.deepEqual(
    logged.map((line) => /^warn .*"ws".*files\.exclude is too complex/.test(line)),
    [true],
  );
  workspace.exclude({ 'b.txt': true });
  assert.deepEqual([await read('a.txt'), await read('b.txt'), workspace.timesRead], [false, true, 3]);
});

test('[D4] a file that files.exclude hides is not served through a link with another name', async (t) => {
  const { call, top, workspace, client } = await setup(
    t,
    { 'ws/hidden/key.txt': 'key', 'ws/shown/a.txt': 'a', 'lib/hidden/key.txt': 'key', 'lib/own/key.txt': 'key' },
    ['ws', 'lib'],
  );
  const link = (target: string, name: string) => symlink(join(top, target), join(top, 'ws', name));
  await link('ws/hidden', 'folder');
  await link('ws/hidden/key.txt', 'direct.txt');
  await link('lib/hidden/key.txt', 'other.txt');
  await link('ws/direct.txt', 'chain.txt');
  await link('ws/shown/a.txt', 'fine.txt');
  const read = async (path: string) => (await call('read_file', { path: `ws/${path}` })).text;
  for (const path of ['folder/key.txt', 'direct.txt', 'other.txt', 'chain.txt'])
    assert.match(await read(path), /is hidden by the setting files\.exclude\./, path);
  assert.match(await read('fine.txt'), /^a/);
  assert.equal(
    (await call('find_files', { pattern: '**/*.txt' })).text,
    'lib/own/key.txt\nws/fine.txt\nws/shown/a.txt',
  );
  // An editor that shows the file under the name of the link gives it to no client either.
  workspace.openFile(join(top, 'ws', 'direct.txt'));
  assert.deepEqual((await client.listResources()).resources, []);
  workspace.closeFile(join(top, 'ws', 'direct.txt'));
});

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

test('find_files lists the served files, sorted, and reports when there are more', async (t) => {
  const { call, top } = await setup(t, {
    'ws/b.md': '',
    'ws/a.md': '',
    'ws/sub/c.md': '',
    'ws/d.txt': '',
    'ws/.git/e.md': '',
    'ws/hidden/f.md': '',
    'secret/g.md': '',
  });
  await symlink(join(top, 'secret', 'g.md'), join(top, 'ws', 'leak.md'));
  const uri = (path: string): string => pathToFileURL(join(top, 'ws', path)).href;
  assert.deepEqual(await call('find_files', { pattern: '**/*.md' }), {
    text: 'a.md\nb.md\nsub/c.md',
    structured: { files: ['a.md', 'b.md', 'sub/c.md'].map((path) => ({ path, uri: uri(path) })), isTruncated: false },
    isError: false,
  });
  const some = await call('find_files', { pattern: '**/*.md', limit: 2 });
  assert.match(some.text, /^a\.md\nb\.md\n\(There are more/);
  assert.equal(some.structured['isTruncated'], true);
  assert.equal((await call('find_files', { pattern: '*.nope' })).text, 'No file matches *.nope.');
});

test('with several folders every path begins with the folder', async (t) => {
  const { call } = await setup(t, { 'app/a.md': 'in app', 'lib/a.md': 'in lib', 'lib/x/b.md': '' }, ['app', 'lib']);
  assert.equal((await call('find_files', { pattern: '**/*.md' })).text, 'app/a.md\nlib/a.md\nlib/x/b.md');
  assert.equal((await call('find_files', { pattern: 'lib/*.md' })).text, 'lib/a.md');
  assert.equal((await call('find_files', { pattern: 'a.md' })).text, 'app/a.md\nlib/a.md');
  assert.equal((await call('find_files', { pattern: '{app,lib}/a.*' })).text, 'app/a.md\nlib/a.md');
  assert.equal((await call('read_file', { path: 'lib/a.md' })).text, 'in lib');
  assert.match(
    (await call('read_file', { path: 'a.md' })).text,
    /start with the name of a workspace folder: "app", "lib"/,
  );
});

test('a search can be canceled', async (t) => {
  const { client, workspace } = await setup(t, { 'ws/a': '' });
  const gate = new Deferred<void>();
  workspace.gate = gate.promise;
  const controller = new AbortController();
  const call = client.callTool({ name: 'find_files', arguments: { pattern: '**' } }, undefined, {
    signal: controller.signal,
  });
  const signal = await workspace.searching.promise;
  controller.abort();
  await assert.rejects(call);
  await settle();
  assert.equal(signal.aborted, true);
  gate.resolve();
});

test('read_file returns text by lines, from the editor if the file is open', async (t) => {
  const { call, workspace, top } = await setup(t, {
    'ws/a.txt': 'one\ntwo\nthree\n',
    'ws/crlf.txt': 'a\r\nb\r\n',
    'ws/empty.txt': '',
  });
  const whole = await call('read_file', { path: 'a.txt' });
  assert.deepEqual(whole, {
    text: 'one\ntwo\nthree\n',
    structured: {
      path: 'a.txt',
      text: 'one\ntwo\nthree\n',
      startLine: 1,
      endLine: 3,
      totalLines: 3,
      isTruncated: false,
      isUnsaved: false,
    },
    isError: false,
  });
  const part = async (startLine?: number, endLine?: number): Promise<unknown> => {
    const { structured } = await call('read_file', {
      path: 'a.txt',
      ...(startLine === undefined ? {} : { startLine }),
      ...(endLine === undefined ? {} : { endLine }),
    });
    return [structured['text'], structured['startLine'], structured['endLine']];
  };
  assert.deepEqual(await part(2, 2), ['two', 2, 2]);
  assert.deepEqual(await part(2), ['two\nthree\n', 2, 3]);
  assert.deepEqual(await part(undefined, 1), ['one', 1, 1]);
  assert.deepEqual(await part(9), ['', 9, 8]);
  assert.deepEqual(await part(3, 2), ['', 3, 2]);
  assert.equal((await call('read_file', { path: 'crlf.txt' })).text, 'a\r\nb\r\n');
  assert.deepEqual((await call('read_file', { path: 'empty.txt' })).structured['totalLines'], 0);
  workspace.openFile(join(top, 'ws', 'a.txt'), 'changed');
  const unsaved = await call('read_file', { path: 'a.txt' });
  assert.deepEqual([unsaved.text, unsaved.structured['isUnsaved']], ['changed', true]);
});

test('a long file is returned in parts that explain how to continue, also with one endless line', async (t) => {
  const line = 'x'.repeat(999);
  const lines = 600;
  const { call } = await setup(t, {
    'ws/long.txt': `${line}\n`.repeat(lines),
    'ws/minified.js': 'y'.repeat(maxReadLength + 5),
  });
  let text = '';
  let startLine = 1;
  let calls = 0;
  for (;;) {
    const { structured } = await call('read_file', { path: 'long.txt', startLine });
    text += structured['text'] as string;
    calls++;
    if (structured['isTruncated'] !== true) break;
    text += '\n';
    startLine = (structured['endLine'] as number) + 1;
  }
  assert.equal(text, `${line}\n`.repeat(lines));
  assert.equal(calls, 3);
  const minified = await call('read_file', { path: 'minified.js' });
  assert.equal((minified.structured['text'] as string).length, maxReadLength);
  assert.match(minified.text, /was cut/);
});

test('paths that are not text files of the workspace are refused with the reason', async (t) => {
  const { call, top } = await setup(t, {
    'ws/a.txt': '',
    'ws/image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]),
    'ws/utf16.txt': Buffer.from('\ufeffhi', 'utf16le'),
    'ws/hidden/x.txt': '',
    'ws/.git/config': '',
    'secret.txt': 'secret',
  });
  await symlink(join(top, 'secret.txt'), join(top, 'ws', 'link.txt'));
  const hasPipes = process.platform !== 'win32';
  if (hasPipes) execFileSync('mkfifo', [join(top, 'ws', 'pipe')]);
  const reason = async (path: string): Promise<string> => {
    const { text, isError } = await call('read_file', { path });
    assert.ok(isError, `${path} was read: ${text}`);
    return text;
  };
  assert.match(await reason('image.png'), /binary file of 7 bytes/);
  assert.match(await reason('hidden/x.txt'), /hidden by the setting files\.exclude/);
  assert.match(await reason('.git/config'), /\.git is not served/);
  assert.match(await reason('link.txt'), /leads out of the workspace/);
  assert.match(await reason('../secret.txt'), /leads out/);
  assert.match(await reason(join(top, 'secret.txt')), /leads out/);
  if (hasPipes) assert.match(await reason('pipe'), /not a regular file/);
  assert.match(await reason('.'), /is a folder/);
  assert.match(await reason('missing.txt'), /There is no file "missing\.txt"/);
  assert.match(await reason('https://example.com/a'), /Only files/);
  assert.equal((await call('read_file', { path: 'utf16.txt' })).isError, false, 'two bytes a character are still text');
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
