import type { ExitCode } from '../cliError.js';
import type { Output } from '../output.js';
import type { Option, ParsedOptions } from '../options.js';
import type { Questions } from '../questions.js';

/** The services and options that a command receives. */
export interface CommandRun {
  options: ParsedOptions;
  output: Output;
  questions: Questions;
  /** The working directory, absolute. */
  folder: string;
  /** Aborted when the user presses Ctrl+C. */
  signal: AbortSignal;
}

/** One command of the command line. */
export interface Command {
  /** The words after the command, for the help. */
  words: string;
  /** One sentence for the list of commands. */
  help: string;
  options: Readonly<Record<string, Option>>;
  examples: readonly string[];
  run(run: CommandRun): Promise<ExitCode>;
}
