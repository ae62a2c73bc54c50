import type { ExitCode } from '../cliError.js';
import type { Output } from '../output.js';
import type { CliOption, ParsedOptions } from '../options.js';
import type { Questions } from '../questions.js';

/** The services and options that a command receives. */
export interface CommandRun {
  options: ParsedOptions;
  output: Output;
  questions: Questions;
  /** The working directory, absolute. */
  folder: string;
  /** Aborted when the user presses Ctrl+C, or when the process receives SIGTERM. */
  signal: AbortSignal;
}

/** One command of the command line. */
export interface Command {
  /** The arguments after the command that are not options, for the help. */
  words: string;
  /** The description of the command in the help. */
  help: string;
  options: Readonly<Record<string, CliOption>>;
  examples: readonly string[];
  run(run: CommandRun): Promise<ExitCode>;
}
