/**
 * Programs that give administrator rights. The sets below contain other programs that a command line is checked for.
 */
import { t } from '@vscode/l10n';

const administrators: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'runas', 'gsudo']);
const downloaders: ReadonlySet<string> = new Set([
  'curl',
  'wget',
  'iwr',
  'irm',
  'invoke-webrequest',
  'invoke-restmethod',
]);
const deleters: ReadonlySet<string> = new Set(['rm', 'del', 'rd', 'rmdir', 'remove-item']);
const permissions: ReadonlySet<string> = new Set(['chmod', 'chown', 'icacls']);
const separators: ReadonlySet<string> = new Set(['|', ';', '&', '\n']);

/** The options after which shells and interpreters expect code. */
const posixShell = /^-[a-z]*c$|^--command$/;
const powerShell = /^[-/](?:c|command|e|ec|enc|encodedcommand)$/i;
const shells: ReadonlyMap<string, RegExp> = new Map([
  ...['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'csh', 'tcsh', 'fish'].map((name) => [name, posixShell] as const),
  ['cmd', /^\/[ckr]/i],
  ['powershell', powerShell],
  ['pwsh', powerShell],
  ['npx', /^(?:-c|--call)$/],
]);
const interpreters: ReadonlyMap<string, RegExp> = new Map([
  ...['python', 'python2', 'python3'].map((name) => [name, /^-[a-z]*c$/i] as const),
  ...['node', 'bun'].map((name) => [name, /^(?:-e|-p|-pe|--eval|--print)$/] as const),
  ...['perl', 'ruby'].map((name) => [name, /^-[a-z]*e$/i] as const),
  ['deno', /^eval$/],
  ['php', /^-r$/],
]);

/**
 * Warnings about a command line. Only words are checked, not their meaning, so a deliberately hidden command is not
 * found. The purpose is to warn about commands that were pasted from a web page without being read. The time is linear
 * in the length of the texts, because they are untrusted.
 */
export function commandWarnings(line: readonly string[]): string[] {
  const found = {
    administrator: false,
    deletes: false,
    downloads: false,
    permissions: false,
    shell: false,
    code: false,
  };
  let hasDownloaded = false;
  let isPiped = false;
  let isDeleting = false;
  /** The shell or interpreter whose options are being checked; kept from one argument to the next. */
  let runner: string | undefined;
  for (const [index, text] of line.entries()) {
    if (/(?:[$<]\(|`)\s*(?:curl|wget|irm|iwr)\b/i.test(text)) found.downloads = true;
    for (const token of tokensOf(text)) {
      if (separators.has(token)) {
        isPiped = token === '|';
        isDeleting = false;
        runner = undefined;
        continue;
      }
      const word = programOf(token);
      const isRunner = shells.has(word) || interpreters.has(word);
      found.administrator ||= administrators.has(word);
      found.permissions ||= permissions.has(word);
      found.downloads ||= hasDownloaded && isPiped && (isRunner || word === 'iex');
      found.deletes ||= isDeleting && /^-[a-z]*[rf]|^--(?:recursive|force)$|^\/[sq]$/i.test(token);
      hasDownloaded ||= downloaders.has(word);
      isDeleting ||= deleters.has(word);
      if (runner !== undefined) {
        found.shell ||= shells.get(runner)?.test(token) ?? false;
        found.code ||= interpreters.get(runner)?.test(token) ?? false;
        // Options after the name of a script belong to the script.
        if (interpreters.has(runner) && !token.startsWith('-')) runner = undefined;
      }
      // Matches the program itself, a program after a pipe, and an argument that is only a program name (`env bash
      // -c`).
      if (isRunner && (index === 0 || isPiped || text === token)) runner = word;
      isPiped = false;
    }
  }
  return [
    ...(found.administrator ? [t('It asks for administrator rights.')] : []),
    ...(found.deletes ? [t('It deletes files.')] : []),
    ...(found.downloads ? [t('It downloads code and runs it immediately.')] : []),
    ...(found.permissions ? [t('It changes the permissions of files.')] : []),
    ...(found.shell ? [t('It runs a shell script given on the command line.')] : []),
    ...(found.code ? [t('It runs program code given on the command line.')] : []),
  ];
}

/**
 * The words and separators of a text. Shell quotes and brackets end a word, so that both `$(sudo` and `"sudo"` yield
 * `sudo`.
 */
function tokensOf(text: string): string[] {
  return text.match(/[|;&\n]|[^\s|;&"'`()<>{}]+/g) ?? [];
}

/** The plain name of a program: `bash` for `/usr/bin/bash`, `cmd` for `C:\…\CMD.EXE`. */
export function programOf(token: string): string {
  const slash = Math.max(token.lastIndexOf('/'), token.lastIndexOf('\\'));
  return token
    .slice(slash + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
}
