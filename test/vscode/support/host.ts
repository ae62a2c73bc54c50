/** Shared by suites in the extension host: the deck as another extension sees it, and waiting for a condition. */
import { readFile, rm, writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { DeckApi } from '../../../src/vscode/api.js';

type Summary = Awaited<ReturnType<DeckApi['listServers']>>[number];

const extensionId = 'mcp-deck.mcp-deck';
const pollMs = 25;

export function deckExtension(): vscode.Extension<DeckApi> {
  const extension = vscode.extensions.getExtension<DeckApi>(extensionId);
  if (!extension) throw new Error(`VS Code does not know the extension ${extensionId}.`);
  return extension;
}

/** The API that `activate()` returns. */
export async function deckApi(): Promise<DeckApi> {
  return deckExtension().activate();
}

/** Runs a command with one argument object, as a keybinding or another extension does. */
export async function command<T = unknown>(id: string, argument: object = {}): Promise<T> {
  return vscode.commands.executeCommand<T>(id, argument);
}

/** Waits until `probe` returns a truthy value, and returns it. On timeout, the error contains the last result. */
export async function until<T>(what: string, probe: () => T | Promise<T>, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  do {
    try {
      const value = await probe();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  } while (Date.now() < deadline);
  const servers = await (await deckApi()).drawServers().catch(String);
  throw new Error(`Timed out waiting until ${what}. Last: ${String(last)}\n${servers}`);
}

/** The server's line in `listServers`, or undefined. */
export async function findServer(id: string): Promise<Summary | undefined> {
  return (await (await deckApi()).listServers()).find(({ server }) => server === id);
}

export async function stateOf(id: string): Promise<Summary['state'] | undefined> {
  return (await findServer(id))?.state;
}

export async function untilState(id: string, state: Summary['state']): Promise<Summary> {
  return until(`"${id}" is ${state}`, async () => {
    const found = await findServer(id);
    return found?.state === state ? found : undefined;
  });
}

export async function serverIds(): Promise<string[]> {
  return (await (await deckApi()).listServers()).map(({ server }) => server);
}

export async function draw(): Promise<string> {
  return (await deckApi()).drawServers();
}

/** The line of the Servers view for `label`, and the lines indented below it. */
export async function drawn(label: string): Promise<string> {
  const lines = (await draw()).split('\n');
  const start = lines.findIndex((line) =>
    new RegExp(`^(\\(\\S+\\) )?${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(  |$)`).test(line),
  );
  if (start === -1) return '';
  const end = lines.findIndex((line, index) => index > start && !line.startsWith(' '));
  return lines.slice(start, end === -1 ? undefined : end).join('\n');
}

/** The error that `work` fails with; the test fails when `work` succeeds. */
export async function failureOf(
  work: PromiseLike<unknown>,
): Promise<Error & { code?: string; data?: Record<string, unknown> }> {
  let value: unknown;
  try {
    value = await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`The thrown value is not an Error: ${String(error)}`);
  }
  throw new Error(`It should have failed, but gave ${JSON.stringify(value)}`);
}

/** The text of the first content of a tool result. */
export function textOf(result: unknown): string {
  const { content } = result as { content?: { type: string; text?: string }[] };
  const [first] = content ?? [];
  if (first?.text === undefined) throw new Error(`The result has no text first: ${JSON.stringify(result)}`);
  return first.text;
}

export function folder(index = 0): vscode.WorkspaceFolder {
  const found = vscode.workspace.workspaceFolders?.[index];
  if (!found) throw new Error(`The window has no workspace folder ${index}.`);
  return found;
}

/** A file of the workspace that a test may write, because the workspace is a copy. */
export class WorkspaceFile {
  private original: string | undefined;
  private isRead = false;

  constructor(
    private readonly relative: string,
    private readonly folderIndex = 0,
  ) {}

  get path(): string {
    return path.join(folder(this.folderIndex).uri.fsPath, this.relative);
  }

  get uri(): vscode.Uri {
    return vscode.Uri.file(this.path);
  }

  async write(content: string | object): Promise<void> {
    if (!this.isRead) {
      this.original = await readFile(this.path, 'utf8').catch(() => undefined);
      this.isRead = true;
    }
    await mkdir(path.dirname(this.path), { recursive: true });
    await writeFile(this.path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }

  /** Restores the content from before the first `write`. */
  async restore(): Promise<void> {
    if (!this.isRead) return;
    if (this.original === undefined) await rm(this.path, { force: true });
    else await writeFile(this.path, this.original);
  }
}

/** An entry for a configuration file: the fixture server that misbehaves in one way. */
export function oddServer(mode: string, more: object = {}): Record<string, unknown> {
  return {
    type: 'stdio',
    command: 'node',
    args: ['${env:MCP_DECK_REPO}/test/fixtures/servers/odd.mjs', mode],
    ...more,
  };
}

/**
 * Writes servers into the user settings in addition to those of the window; the returned function removes them again.
 */
export async function defineServers(servers: Record<string, object>): Promise<() => Promise<void>> {
  const settings = () => vscode.workspace.getConfiguration('mcpDeck');
  const before = settings().inspect<Record<string, object>>('servers')?.globalValue ?? {};
  await settings().update('servers', { ...before, ...servers }, vscode.ConfigurationTarget.Global);
  await until('the servers are listed', async () => {
    const known = await serverIds();
    return Object.keys(servers).every((id) => known.includes(id));
  });
  return async () => settings().update('servers', before, vscode.ConfigurationTarget.Global);
}
