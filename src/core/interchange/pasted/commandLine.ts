import { t } from '@vscode/l10n';

/** The shells whose quoting rules are supported. */
export type ShellKind = 'posix' | 'cmd';

/** One word of a command line. */
export interface Word {
  /** The word without quotes. Variables of the shell are in the notation of MCP Deck: `${env:NAME}`. */
  text: string;
  /** Whether a part of it was in quotes. */
  isQuoted: boolean;
}

/** The commands of a text, each as its words. */
export type SplitCommands = { commands: Word[][] } | { problem: string };

/**
 * The shell whose rules a text follows. Returns `cmd` only for syntax that no POSIX shell has: a caret at the end of a
 * line, `set NAME=`, and, unless a word is in single quotes, `%NAME%` or a path with a drive letter.
 */
function shellOf(text: string): ShellKind {
  if (/\^[ \t]*\r?\n|(?:^|\n)[ \t]*set[ \t]+\w+=/i.test(text)) return 'cmd';
  if (/(?:^|[\s=])'[^']*'(?=[\s\\]|$)/.test(text)) return 'posix';
  return /%[A-Za-z_]\w*%|(?:^|[\s="'])[A-Za-z]:\\/i.test(text) ? 'cmd' : 'posix';
}

/**
 * Splits text into commands and their words, as a shell does, in linear time. Nothing is run. Variables of the shell
 * become `${env:NAME}`, `~` and `$HOME` become `${userHome}`, and `$PWD` becomes `${workspaceFolder}`. Syntax that
 * needs a shell, such as a pipe or `$(…)`, is reported as a problem.
 */
export function splitCommands(text: string, kind: ShellKind = shellOf(text)): SplitCommands {
  const splitter = new Splitter(text, kind);
  const problem = splitter.read();
  return problem === undefined ? { commands: splitter.commands.filter((words) => words.length > 0) } : { problem };
}

type Action = (this: void, splitter: Splitter, match: RegExpExecArray) => void;
/** Sticky patterns in order of precedence. The first one that matches is applied. */
type Rules = readonly (readonly [pattern: RegExp, action: Action])[];

class Splitter {
  readonly commands: Word[][] = [[]];
  problem: string | undefined;
  quote: '"' | "'" | undefined;
  private word: Word | undefined;

  constructor(
    private readonly text: string,
    private readonly kind: ShellKind,
  ) {}

  read(): string | undefined {
    let at = 0;
    while (at < this.text.length && this.problem === undefined) {
      const rules = this.quote === "'" ? singleQuoted : this.quote === '"' ? doubleQuoted[this.kind] : plain[this.kind];
      for (const [pattern, action] of rules) {
        pattern.lastIndex = at;
        const match = pattern.exec(this.text);
        if (!match) continue;
        at += match[0].length;
        action(this, match);
        break;
      }
    }
    this.endWord();
    return this.problem ?? (this.quote === undefined ? undefined : t('A quotation mark is not closed.'));
  }

  get isInWord(): boolean {
    return this.word !== undefined;
  }

  add(text: string): void {
    this.word ??= { text: '', isQuoted: false };
    this.word.text += text;
  }

  open(quote: '"' | "'"): void {
    this.quote = quote;
    this.add('');
    if (this.word) this.word.isQuoted = true;
  }

  endWord(): void {
    if (this.word) this.commands.at(-1)?.push(this.word);
    this.word = undefined;
  }

  endCommand(): void {
    this.endWord();
    this.commands.push([]);
  }
}

const endWord: Action = (splitter) => splitter.endWord();
const endCommand: Action = (splitter) => splitter.endCommand();
const addAll: Action = (splitter, [text]) => splitter.add(text);
const addFirst: Action = (splitter, [, text = '']) => splitter.add(text);
const needsShell: Action = (splitter) => {
  splitter.problem = t('Pipes, redirections, and $(…) need a shell. Put the command into a script and add the script.');
};
const addVariable: Action = (splitter, [all, braced, simple]) => {
  const name = braced ?? simple ?? '';
  splitter.add(/^(?:HOME|USERPROFILE)$/i.test(name) ? '${userHome}' : ownVariables.has(name) ? all : `\${env:${name}}`);
};

/** Variables of MCP Deck without a colon. */
const ownVariables: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
]);

const posixVariables: Rules = [
  [/\$\(pwd\)|\$\{PWD\}|\$PWD\b/y, (splitter) => splitter.add('${workspaceFolder}')],
  [/\$\{([A-Za-z_]\w*)\}|\$(?:env:)?([A-Za-z_]\w*)/y, addVariable],
  [/\$\(|`/y, needsShell],
];
const cmdVariables: Rules = [[/%([A-Za-z_]\w*)%/y, addVariable]];

const shared: Rules = [
  // The placeholder <YOUR_TOKEN> is not a redirection.
  [/<[A-Za-z][\w .-]{0,80}>/y, addAll],
  [/[|<>&`]/y, needsShell],
  [/[^\s"'\\`$|<>&;#~^%]+|[^]/y, addAll],
];

const plain: Readonly<Record<ShellKind, Rules>> = {
  posix: [
    // PowerShell continues a line with a grave accent.
    [/[\\`][ \t]*\r?(?:\n|$)/y, endWord],
    [/[\n;]|&&/y, endCommand],
    [/\s/y, endWord],
    // Input boxes remove line breaks, so a continued line can have a backslash between spaces.
    [/\\([ \t])/y, (splitter, [, space = '']) => (splitter.isInWord ? splitter.add(space) : splitter.endWord())],
    // A backslash before a letter belongs to a Windows path.
    [/\\([^\w.-])/y, addFirst],
    [/(["'])/y, (splitter, [quote]) => splitter.open(quote === '"' ? '"' : "'")],
    [/#[^\n]*/y, (splitter, [text]) => (splitter.isInWord ? splitter.add(text) : undefined)],
    [/~(?=[\\/\s]|$)/y, (splitter) => splitter.add(splitter.isInWord ? '~' : '${userHome}')],
    ...posixVariables,
    ...shared,
  ],
  cmd: [
    [/\^[ \t]*\r?\n/y, endWord],
    [/\^([^])/y, addFirst],
    [/\n|&&/y, endCommand],
    [/\s/y, endWord],
    [/"/y, (splitter) => splitter.open('"')],
    [/\\(")/y, addFirst],
    ...cmdVariables,
    ...shared,
  ],
};

const close: Action = (splitter) => {
  splitter.quote = undefined;
};
const singleQuoted: Rules = [
  [/'/y, close],
  [/[^']+/y, addAll],
];
const doubleQuoted: Readonly<Record<ShellKind, Rules>> = {
  posix: [
    [/"/y, close],
    [/\\\r?\n/y, () => undefined],
    [/\\(["\\$`])/y, addFirst],
    ...posixVariables,
    [/[^"\\$`]+|[^]/y, addAll],
  ],
  cmd: [[/\\(")/y, addFirst], [/"/y, close], ...cmdVariables, [/[^"\\%]+|[^]/y, addAll]],
};
