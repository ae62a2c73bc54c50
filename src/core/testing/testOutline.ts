import type { TestCase, TestEra, TestFile } from './testModel.js';

/** A case as a list of tests shows it. */
export interface OutlinedCase {
  name: string;
  /** The lines of the case, beginning at 1. The last line belongs to the case. */
  firstLine: number;
  lastLine: number;
  tags: readonly string[];
  /** The eras in which the case runs, if there are several; otherwise empty. */
  eras: readonly TestEra[];
  /** Why the case is skipped. */
  skip?: string;
}

/**
 * The cases of a file with the lines that they cover. A case ends before the next one; rows of `each` share the lines
 * of their case.
 * @param lineCount the number of lines of the file.
 */
export function outlineOf(test: TestFile, lineCount: number): OutlinedCase[] {
  const starts = [...new Set(test.tests.map(({ line }) => line))].sort((a, b) => a - b);
  const after = new Map(starts.map((line, index) => [line, (starts[index + 1] ?? lineCount + 1) - 1]));
  const eras = test.eras.length > 1 ? test.eras : [];
  return test.tests.map((one) => ({
    name: one.name,
    firstLine: one.line,
    lastLine: Math.max(after.get(one.line) ?? one.line, one.line),
    tags: one.tags,
    eras,
    ...skipOf(one),
  }));
}

function skipOf({ skip }: TestCase): { skip?: string } {
  return skip === undefined ? {} : { skip };
}

/** The tags of a file: its server by name. Servers that the file defines itself have no name. */
export function serverTags({ server }: TestFile): string[] {
  return server && 'name' in server ? [server.name] : [];
}
