import type { ResultFile } from './resultPage.js';

/** How the files of two results differ. */
export interface FileComparison {
  /** The files that differ from the file at the same position in the other result. */
  pairs: [ResultFile, ResultFile][];
  /** Whether the results have the same number of files. If not, some files have no counterpart. */
  isSameCount: boolean;
}

/** Compares the files of two results by their position and their content. */
export function compareFiles(left: readonly ResultFile[], right: readonly ResultFile[]): FileComparison {
  const pairs = left.flatMap((file, index): [ResultFile, ResultFile][] => {
    const other = right[index];
    return other && !isSame(file, other) ? [[file, other]] : [];
  });
  return { pairs, isSameCount: left.length === right.length };
}

function isSame(a: ResultFile, b: ResultFile): boolean {
  return a.bytes.length === b.bytes.length && Buffer.compare(a.bytes, b.bytes) === 0;
}
