import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import type { Resource, ResourceContents } from '../protocol/mcp.js';
import type { ResourceSource } from '../serving/servedFeatures.js';
import type { WorkspaceFiles } from './workspaceFiles.js';
import { maxReadLength } from './fileTools.js';

/** Delay after the last change of a text before subscribers are notified, in milliseconds. */
const settleMs = 300;

/**
 * The files that are open in editors, as MCP resources. The list changes when editors open and close. The content of a
 * resource is the current text of the editor, saved or not. Files outside the workspace are never offered.
 */
export class OpenEditors implements ResourceSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly listChanged = this.store.add(new Emitter<void>());
  private readonly updated = this.store.add(new Emitter<string>());
  readonly onDidChangeList: Event<void> = this.listChanged.event;
  readonly onDidUpdate: Event<string> = this.updated.event;
  private readonly pending = new Map<string, Disposable>();

  constructor(
    private readonly files: WorkspaceFiles,
    clock: Clock,
  ) {
    const { access } = files;
    this.store.add(access.onDidChangeOpenEditors(() => this.listChanged.fire()));
    this.store.add(
      access.onDidChangeText((path) => {
        // Each keystroke changes the text. The timer restarts, so that subscribers are notified once after the last
        // change.
        this.pending.get(path)?.dispose();
        const timer = clock.after(settleMs, () => {
          this.pending.delete(path);
          this.updated.fire(pathToFileURL(path).href);
        });
        this.pending.set(path, timer);
      }),
    );
  }

  async list(): Promise<Resource[]> {
    const { access, paths } = this.files;
    const editors = [...new Map(access.openEditors().map((editor) => [editor.path, editor])).values()];
    const served = await Promise.all(editors.map((editor) => this.files.isServed(editor.path)));
    return editors
      .filter((_editor, i) => served[i])
      .map((editor) => ({
        uri: pathToFileURL(editor.path).href,
        name: paths.display(editor.path) ?? editor.path,
        description: editor.isDirty ? 'Open in an editor, with unsaved changes' : 'Open in an editor',
        mimeType: mimeType(editor.path),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async read(uri: string): Promise<ResourceContents[] | undefined> {
    const path = pathOf(uri);
    if (path === undefined || !this.files.access.openEditors().some((editor) => editor.path === path)) return undefined;
    if (!(await this.files.isServed(path))) return undefined;
    const { text } = await this.files.readText(await this.files.locate(path));
    const cut =
      text.length > maxReadLength
        ? `${text.slice(0, maxReadLength)}\n(${text.length - maxReadLength} more characters)`
        : text;
    return [{ uri, mimeType: mimeType(path), text: cut }];
  }

  dispose(): void {
    for (const timer of this.pending.values()) timer.dispose();
    this.pending.clear();
    this.store.dispose();
  }
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // The URI is not a file: URI, or it has a host.
    return undefined;
  }
}

const mimeTypes: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  xml: 'application/xml',
};

function mimeType(path: string): string {
  return mimeTypes[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain';
}
