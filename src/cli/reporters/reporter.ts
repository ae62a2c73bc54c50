import type { CaseResult, FileResult } from '../../core/testing/testModel.js';
import type { Output } from '../output.js';

/** The results of a run. */
export interface RunResult {
  files: readonly FileResult[];
  durationMs: number;
}

export interface ReporterContext {
  output: Output;
  /** The working directory, to which paths in reports are relative. */
  folder: string;
  /** Writes a line of the report. */
  write: (line: string) => void;
}

/** Reports the results of a run. */
export interface Reporter {
  /** Called for each case: file by file, and in the order in which the cases of a file end. */
  onCase?(result: CaseResult): void;
  onEnd(result: RunResult): void;
}

/** The number of cases by status. */
export function countsOf(files: readonly FileResult[]): Record<CaseResult['status'], number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status } of files.flatMap(({ cases }) => cases)) counts[status]++;
  return counts;
}

/** The name of a case with its era, if the era is fixed. */
export function titleOf({ name, era }: Pick<CaseResult, 'name' | 'era'>): string {
  return era === 'auto' ? name : `${name} (${era})`;
}
