/** How the program ends: 0 success, 1 a test, check or call failed, 2 the command could not be carried out. */
export type ExitCode = 0 | 1 | 2;

/** A failure that ends a command. Its message is a complete sentence for the user. */
export class CliError extends Error {
  /**
   * @param code a short name of the failure for programs, such as `usage` or `unknown-server`.
   * @param lines the last lines that the server wrote to its error output.
   */
  constructor(
    readonly exitCode: 1 | 2,
    readonly code: string,
    message: string,
    readonly lines: readonly string[] = [],
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** Wrong usage of the command line. */
export function usageError(message: string): CliError {
  return new CliError(2, 'usage', message);
}

/** Set by the build. */
declare const deckVersion: string;

/** The version in package.json. */
export const version = deckVersion;
