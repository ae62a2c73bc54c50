import { wordSet } from '../../shared/wordSet.js';

/** The parts of a command line that runs Python. */
export interface PythonPart {
  /** Arguments of the program that starts Python, such as those of `uv run`; empty if Python is the command. */
  before: string[];
  /**
   * The argument that specifies the Python interpreter. Absent if it must be inserted, as in `uv run server.py`, or if
   * Python is the command.
   */
  interpreter?: string;
  /** Whether Python is the command. */
  isCommand: boolean;
  /** Python's own options, such as `-u`. */
  options: string[];
  /** The file, or `-m` and a module, or `-c` and code; then the arguments of the program. */
  program: string[];
}

const pythonName = /^(?:python[\d.]*w?|py)$/;

/** Options of `uv run` with a value in the next argument. */
const uvValues: ReadonlySet<string> = wordSet(`
  --with --with-editable --with-requirements --extra --no-extra --group --no-group --only-group --python -p
  --directory --project --env-file --index --default-index --index-url -i --extra-index-url --find-links -f
  --package --config-file --cache-dir --refresh-package --upgrade-package -P --reinstall-package
  --no-binary-package --no-build-package --color
`);
/** Options of Python with a value in the next argument. */
const pythonValues: ReadonlySet<string> = new Set(['-W', '-X', '--check-hash-based-pycs']);

/** Finds Python in a command line; undefined if the command does not run Python, or runs Python without a program. */
export function pythonPart(command: string, args: readonly string[]): PythonPart | undefined {
  const program = nameOf(command);
  if (pythonName.test(program)) return withOptions({ before: [], isCommand: true }, args);
  if (program !== 'uv') return undefined;
  const run = args.indexOf('run');
  // Options of uv may precede `run`; any other subcommand of uv does not match.
  if (run === -1 || !isOnlyOptions(args.slice(0, run))) return undefined;
  let at = run + 1;
  while (
    at < args.length &&
    (args[at]?.startsWith('-') ?? false) &&
    !['-m', '--module', '--', '-s', '--script'].includes(args[at] ?? '')
  )
    at += uvValues.has(args[at] ?? '') ? 2 : 1;
  const before = args.slice(0, at);
  const word = args[at];
  if (word === '--') return ofWord(before, args.slice(at + 1));
  if (word === '-m' || word === '--module')
    return withOptions({ before, isCommand: false }, ['-m', ...args.slice(at + 1)]);
  if (word === '-s' || word === '--script') return withOptions({ before, isCommand: false }, args.slice(at + 1));
  return ofWord(before, args.slice(at));
}

/** The target of `uv run`: Python, or a Python file. Any other target is a program of a package. */
function ofWord(before: string[], [word = '', ...rest]: readonly string[]): PythonPart | undefined {
  if (pythonName.test(nameOf(word))) return withOptions({ before, interpreter: word, isCommand: false }, rest);
  return /\.pyw?$/.test(word) ? withOptions({ before, isCommand: false }, [word, ...rest]) : undefined;
}

function withOptions(
  part: Pick<PythonPart, 'before' | 'interpreter' | 'isCommand'>,
  args: readonly string[],
): PythonPart | undefined {
  const options: string[] = [];
  let at = 0;
  for (let arg = args[at]; arg !== undefined && arg.startsWith('-') && arg !== '-'; arg = args[at]) {
    // `-um module` is `-u -m module`.
    const letter = /^-([A-Za-z]*)([mc])$/.exec(arg);
    if (letter) {
      if (letter[1]) options.push(`-${letter[1]}`);
      const program = [`-${letter[2]}`, ...args.slice(at + 1)];
      return program.length < 2 ? undefined : { ...part, options, program };
    }
    options.push(arg);
    at++;
    const value = pythonValues.has(arg) ? args[at] : undefined;
    if (value !== undefined) {
      options.push(value);
      at++;
    }
  }
  const program = args.slice(at);
  return program.length === 0 ? undefined : { ...part, options, program };
}

function isOnlyOptions(args: readonly string[]): boolean {
  return args.every((arg, index) => arg.startsWith('-') || uvValues.has(args[index - 1] ?? ''));
}

function nameOf(command: string): string {
  return command
    .slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
}
