import path from 'node:path';
import { writeInFolder } from '../core/config/writeInFolder.js';
import { readFileUpTo } from '../core/config/smallFile.js';
import { isObject, isStringArray } from '../core/base/guards.js';
import { messageOf } from '../core/base/hostError.js';
import type { CaseResult, FileResult } from '../core/testing/testModel.js';
import { usageError } from './cliError.js';
import { titleOf } from './reporters/reporter.js';

/** Maximum size of a baseline, in bytes. */
const maxBytes = 4_000_000;

/** The failures that are known. They are reported as skipped, so that only new failures fail a run. */
export class TestBaseline {
  private constructor(
    private readonly file: string,
    private readonly folder: string,
    private readonly known: ReadonlySet<string>,
  ) {}

  /** Reads a baseline. With `isUpdating`, the file need not exist. Throws a usage error if it is not a baseline. */
  static async open(file: string, folder: string, isUpdating: boolean): Promise<TestBaseline> {
    if (isUpdating) return new TestBaseline(file, folder, new Set());
    let value: unknown;
    try {
      value = JSON.parse(await readFileUpTo(file, maxBytes));
    } catch (error) {
      throw usageError(`The baseline ${file} cannot be read. Use --update to write it. ${messageOf(error)}`);
    }
    const { version, failures } = isObject(value) ? value : {};
    if (typeof version === 'number' && version > 1)
      throw usageError(`The baseline ${file} was written by a newer version of MCP Deck.`);
    if (version !== 1 || !isStringArray(failures)) throw usageError(`The file ${file} is not a baseline.`);
    return new TestBaseline(file, folder, new Set(failures));
  }

  /** The result as it is reported: a known failure is skipped. */
  apply(result: CaseResult): CaseResult {
    if (result.status !== 'failed' || !this.known.has(this.keyOf(result))) return result;
    return { ...result, status: 'skipped', reason: 'known failure', failures: [] };
  }

  /** The known failures that no longer fail, although they ran. */
  repaired(files: readonly FileResult[]): string[] {
    const passed = files.flatMap(({ cases }) => cases).filter(({ status }) => status === 'passed');
    return passed.map((one) => this.keyOf(one)).filter((key) => this.known.has(key));
  }

  /** Stores the failures of a run. */
  async write(files: readonly FileResult[]): Promise<void> {
    const failed = files.flatMap(({ cases }) => cases).filter(({ status }) => status === 'failed');
    const failures = [...new Set(failed.map((one) => this.keyOf(one)))].sort();
    await writeInFolder(this.file, `${JSON.stringify({ version: 1, failures }, undefined, 2)}\n`, this.folder);
  }

  private keyOf(one: CaseResult): string {
    return `${path.relative(this.folder, one.file).split(path.sep).join('/')} › ${titleOf(one)}`;
  }
}
