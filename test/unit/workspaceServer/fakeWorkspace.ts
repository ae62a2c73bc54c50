/** Shared by the tests of the built-in server: a workspace of files in a temporary folder, and a client of its server. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Deferred } from '../../../src/core/base/deferred.js';
import { toDisposable } from '../../../src/core/base/disposable.js';
import type { Event } from '../../../src/core/base/event.js';
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
import type { WorkspaceFolder } from '../../../src/core/workspaceServer/workspacePaths.js';
import { ManualClock } from '../../support/manualClock.js';
import type { Message } from '../serving/peers.js';
import { OfficialEnd } from '../serving/peers.js';

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
  private readonly excludesChanged = new Emitter<void>();
  /** Number of subscriptions that have not ended. */
  listeners = 0;
  readonly onDidChangeOpenEditors = this.counted(this.editorsChanged.event);
  readonly onDidChangeText = this.counted(this.textChanged.event);
  readonly onDidChangeExcludes = this.counted(this.excludesChanged.event);
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

  private counted<T>(event: Event<T>): Event<T> {
    return (listener) => {
      const subscription = event(listener);
      this.listeners++;
      return toDisposable(() => {
        this.listeners--;
        subscription.dispose();
      });
    };
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

export async function setup(
  t: TestContext,
  files: Record<string, string | Buffer>,
  folderNames = ['ws'],
): Promise<Setup> {
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
    assert.equal(workspace.listeners, 0, 'no listener of the editor is left');
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
