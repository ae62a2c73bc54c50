import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../core/base/hostError.js';
import { readFileUpTo } from '../core/config/smallFile.js';
import { isAssertFile } from '../core/testing/readAssertFile.js';
import { isTestFileName, readTestFile } from '../core/testing/readTestFile.js';
import type { TestFile } from '../core/testing/testModel.js';
import type { FileProblem } from '../core/testing/yamlTree.js';
import { usageError } from './cliError.js';

/** Folders that never contain tests of the repository. */
const skipped: ReadonlySet<string> = new Set(['node_modules', 'dist', 'out', 'build', 'coverage', 'target']);

/** Maximum number of folder entries that a search examines. */
const maxEntries = 200_000;
/** Maximum size of one test file, in bytes. */
const maxBytes = 4_000_000;
/** Maximum size of all test files together, in bytes. */
const maxAllBytes = 64_000_000;

/** The test files of a run, and the problems of files that cannot be read. */
export interface FoundTests {
  tests: TestFile[];
  problems: { file: string; problems: readonly FileProblem[] }[];
}

/**
 * Finds and reads test files. Without names: all `*.mcptest.yaml` below the folder. A named folder can also have files
 * of mcp-assert.
 */
export async function findTests(names: readonly string[], folder: string): Promise<FoundTests> {
  const files = new Map<string, { isNamed: boolean }>();
  const budget = { left: maxEntries };
  if (names.length === 0)
    for (const file of await filesBelow(folder, budget)) if (isTestFileName(file)) files.set(file, unnamed);
  for (const name of names) {
    const { full, isFile } = await namedPlace(name, folder);
    if (isFile) files.set(full, { isNamed: true });
    else
      for (const file of await filesBelow(full, budget))
        if (/\.ya?ml$/.test(file) || isTestFileName(file)) files.set(file, unnamed);
  }
  const found: FoundTests = { tests: [], problems: [] };
  let bytes = 0;
  for (const [file, { isNamed }] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = await readFileUpTo(file, maxBytes).catch((error: unknown) => error);
    if (typeof text !== 'string') {
      // Other YAML files of a named folder may not be tests, so their problems are not reported.
      if (isNamed || isTestFileName(file))
        found.problems.push({ file, problems: [{ line: 1, column: 1, message: messageOf(text) }] });
      continue;
    }
    // Other YAML files of a named folder are not tests.
    if (!isNamed && !isTestFileName(file) && !isAssertFile(text)) continue;
    bytes += text.length;
    if (bytes > maxAllBytes) throw usageError('The test files have more than 64 MB. Name fewer files or folders.');
    const read = readTestFile(text, file, process.env);
    if ('test' in read) found.tests.push(read.test);
    else found.problems.push({ file, problems: read.problems });
  }
  return found;
}

const unnamed = { isNamed: false };

/** The folders of the test files of a command; `isDeep` if files of subfolders count. Throws a usage error. */
export async function foldersOfTests(
  names: readonly string[],
  folder: string,
): Promise<{ path: string; isDeep: boolean }[]> {
  if (names.length === 0) return [{ path: folder, isDeep: true }];
  return Promise.all(
    names.map(async (name) => {
      const { full, isFile } = await namedPlace(name, folder);
      return isFile ? { path: path.dirname(full), isDeep: false } : { path: full, isDeep: true };
    }),
  );
}

async function namedPlace(name: string, folder: string): Promise<{ full: string; isFile: boolean }> {
  const full = path.resolve(folder, name);
  const info = await stat(full).catch(() => undefined);
  if (!info) throw usageError(`The file or folder "${name}" does not exist.`);
  return { full, isFile: info.isFile() };
}

async function filesBelow(folder: string, budget: { left: number }): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    if (budget.left-- <= 0) throw usageError('The folder has too many files. Name the folders of the tests.');
    const full = path.join(folder, entry.name);
    if (entry.isFile()) found.push(full);
    else if (entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith('.'))
      found.push(...(await filesBelow(full, budget)));
  }
  return found;
}

/** The part of a list that shard `index` of `count` runs, such as `2/3`. */
export function shardOf<T>(items: readonly T[], shard: string | undefined): T[] {
  if (shard === undefined) return [...items];
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(shard) ?? []).map(Number);
  if (index < 1 || index > count)
    throw usageError('--shard must have the form 1/3: the number of the part, and the number of parts.');
  return items.filter((_item, at) => at % count === index - 1);
}
