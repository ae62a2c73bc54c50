import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

const program = path.resolve('dist/cli.mjs');

/** The server of the tests of the command line. */
export const counter = path.resolve('test/fixtures/servers/counter.mjs');

export interface CliEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder with these files, which is removed after the test. Values that are not a text are written as JSON. */
export function folderWith(t: TestContext, files: Record<string, unknown>): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/** Runs the built command line without a terminal until it ends. */
export async function runCli(
  args: readonly string[],
  {
    folder = process.cwd(),
    env = {},
    input = '',
    closesOutput = false,
  }: { folder?: string; env?: Record<string, string>; input?: string; closesOutput?: boolean } = {},
): Promise<CliEnd> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, CI: '', GITHUB_STEP_SUMMARY: '', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  if (closesOutput) child.stdout.destroy();
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
