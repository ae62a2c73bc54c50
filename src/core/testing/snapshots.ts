import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { isObject, isStringArray } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import { withSortedKeys } from '../base/jsonText.js';
import { indentedJson } from '../base/jsonTokens.js';
import { objectOf } from '../base/objectCopy.js';
import { runInSlices } from '../base/timeSlice.js';
import { writeInFolder } from '../config/writeInFolder.js';
import { readFileUpTo } from '../config/smallFile.js';
import { placesAt } from './jsonPath.js';
import type { Mismatch } from './matchers.js';
import { shownValue } from './matchers.js';
import { storedForm, TooLargeError } from './storedForm.js';

/** Maximum size of one snapshot, in characters. Larger results belong in other expectations. */
const maxSnapshot = 200_000;
/** Maximum size of the file with the snapshots, in bytes. It comes with a repository and is parsed in one turn. */
const maxFile = 5_000_000;
/** Maximum depth of a stored snapshot. Deeper parts equal nothing. */
const maxStoredDepth = 300;

/**
 * Fields that differ between the versions of the protocol. They are left out, so that one snapshot fits all versions.
 */
const eraFields = ['$._meta', '$.resultType', '$.ttlMs', '$.cacheScope'];

/** The file with the snapshots of a test file: `a.mcptest.yaml` has `a.snap.json` beside it. */
export function snapshotFile(file: string): string {
  return file.replace(/\.mcptest\.[a-z]+$/, '').concat('.snap.json');
}

/** The snapshots of one test file. They change only if `isUpdating`. */
export class Snapshots {
  private readonly used = new Set<string>();
  private hasChanged = false;

  private constructor(
    private readonly file: string,
    private readonly stored: Map<string, unknown>,
    private readonly isUpdating: boolean,
    private readonly secrets: () => readonly string[],
  ) {}

  /**
   * Reads the snapshots of a test file. Rejects if their file is not valid, or is a link: a repository could make
   * another file of the user a part of the report.
   * @param secrets the values that snapshots do not contain. Called for each snapshot, because a start can add values.
   */
  static async open(testFile: string, isUpdating: boolean, secrets: () => readonly string[]): Promise<Snapshots> {
    const file = snapshotFile(testFile);
    const stats = await lstat(file).catch(() => undefined);
    if (stats?.isSymbolicLink() === true)
      throw new UserError(t('The file with the snapshots, {0}, is a link. Remove the link.', file));
    const text = stats === undefined ? '{}' : await readFileUpTo(file, maxFile);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new UserError(t('The file with the snapshots, {0}, is not valid JSON.', file));
    }
    return new Snapshots(file, new Map(Object.entries(isObject(value) ? value : {})), isUpdating, secrets);
  }

  /**
   * Compares a result with its snapshot, or stores it. A large result is read in turns.
   * @param ignore paths of values that are left out.
   */
  async compare(name: string, result: unknown, ignore: unknown): Promise<Mismatch | undefined> {
    const paths = isStringArray(ignore) ? ignore : [];
    const value = await this.formOf(result, paths);
    const text = JSON.stringify(value) ?? 'undefined';
    if (value instanceof TooLargeError || text.length > maxSnapshot)
      return { message: t('The result has more than {0} characters. Use "ignore" to omit parts.', maxSnapshot) };
    const isFirst = !this.used.has(name);
    this.used.add(name);
    const stored = withSortedKeys(this.stored.get(name), maxStoredDepth);
    if (stored !== undefined && JSON.stringify(stored) === text) return undefined;
    if (this.isUpdating && isFirst) {
      this.stored.set(name, value);
      this.hasChanged = true;
      return undefined;
    }
    const actual = shownValue(value);
    if (stored === undefined)
      return {
        message: t(
          'There is no snapshot. To store one, run the tests with --update, or select "Update Snapshot" on this message in VS Code.',
        ),
        actual,
      };
    return { message: t('The result differs from the snapshot.'), expected: shownValue(stored), actual };
  }

  private async formOf(result: unknown, paths: readonly string[]): Promise<unknown> {
    const removed = placesAt(result, [...eraFields, ...paths]);
    const secrets = this.secrets();
    try {
      return await runInSlices(storedForm(result, { removed, secrets, maxLength: maxSnapshot }));
    } catch (error) {
      if (error instanceof TooLargeError) return error;
      throw error;
    }
  }

  /** Writes the snapshots if they have changed. @param isComplete true if unused snapshots are removed. */
  async save(isComplete: boolean): Promise<void> {
    if (!this.isUpdating) return;
    const obsolete = isComplete ? [...this.stored.keys()].filter((name) => !this.used.has(name)) : [];
    for (const name of obsolete) this.stored.delete(name);
    if (!this.hasChanged && obsolete.length === 0) return;
    if (this.stored.size === 0) return rm(this.file, { force: true });
    const text = indentedJson(withSortedKeys(objectOf([...this.stored]), maxStoredDepth), maxFile);
    if (text === undefined || Buffer.byteLength(text) > maxFile)
      throw new UserError(t('The snapshots of one file are larger than 5 MB. Divide the file with the tests.'));
    await writeInFolder(this.file, text, path.dirname(this.file));
  }
}
