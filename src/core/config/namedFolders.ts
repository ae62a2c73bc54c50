/**
 * Finds the folders that a command line names, because a launcher in the line can run in each of them. The options and
 * commands that choose a folder, and the ways to quote it, are too many to be known: for a server of the workspace,
 * each text that is a folder counts.
 */
import path from 'node:path';
import { isInOne, isTooDeep, maxPathLength } from '../base/folderPath.js';
import { wordsOf } from './launchers.js';
import type { StartPlace } from './searchInfluence.js';
import { withReal } from './searchInfluence.js';
import type { StartContext } from './variables.js';

/** Maximum number of words, of texts that may be a folder, and of look-ups for one line. */
const maxWords = 20_000;
const maxTexts = 600;
const maxLookUps = 2_000;
/** Maximum number of folders that a line names, and of workspace folders that a line is compared with. */
const maxFolders = 100;
/** Maximum length of the line, as written and with its variables filled in, in UTF-16 code units. */
const maxLineLength = 64 * 1024;
/** Maximum number of parts of one word: `-v sub:/app` has two. */
const maxParts = 20;
/** Maximum depth of texts in texts: `sh -c "sh -c '…'"`. */
const maxDepth = 4;

/** Commands and options that choose the folder of another program. Only these count for a server of the user. */
const changesFolder = /^(?:cd|chdir|pushd|sl|set-location|push-location)$/i;
const folderOption = /^(?:-\w*C|--(?:chdir|cd|directory|working-directory|cwd|dir|prefix|project|workspace|path))$/;
/** Words between such a command and the folder. */
const ofCommand = /^(?:--|-[LP]|\/d)$/i;

/** The texts of a line that may be a folder. */
interface FolderTexts {
  /** Each text, and whether a known command or option for folders is before it. */
  texts: Map<string, boolean>;
  /** Whether the line has too many texts. */
  isCut: boolean;
}

/** A command line, and the place of its start. */
interface NamingLine {
  /** The program and its arguments, with the variables of VS Code filled in. */
  texts: readonly string[];
  /** Variables that the server has in addition to those of VS Code. */
  env: Readonly<Record<string, string>>;
}

interface BegunPlace extends StartPlace {
  /** The folder of the start as written, and with its links resolved. */
  begun: readonly string[];
}

/**
 * The folders of the workspace that a line names; undefined if the line has too many texts or folders, or the workspace
 * too many folders. A relative folder beside the workspace folder counts, because it may belong to the same repository.
 * @param isOfUser whether the line is from the user settings. Then only folders that follow a known command or option
 *   count, because the user chose what the line does.
 */
export async function namedFolders(
  line: NamingLine,
  place: BegunPlace,
  context: StartContext,
  isOfUser: boolean,
): Promise<string[] | undefined> {
  const filled = filledLine(line, place, context);
  if (filled === undefined) return undefined;
  if (place.roots.length > maxFolders) return undefined;
  const roots = await withReal(place.roots, context);
  const { texts, isCut } = folderTextsOf([...new Set([...line.texts, ...filled])], roots);
  if (isCut) return undefined;
  const wanted = [...texts].filter(([, isChosen]) => isChosen || !isOfUser).map(([text]) => text);
  const named = isOfUser ? [] : roots.filter((root) => filled.some((text) => mentions(text, root)));
  return foldersAmong(wanted, named, { ...place, roots }, context);
}

/** The texts of a line with the variables of shells filled in; undefined if the line is too long. */
function filledLine(
  { texts, env }: NamingLine,
  { begun, userHome }: BegunPlace,
  context: StartContext,
): string[] | undefined {
  const room = { left: maxLineLength };
  for (const { length } of texts) room.left -= length + 1;
  if (room.left < 0) return undefined;
  const keyOf = (name: string) => (isWindows(context) ? name.toUpperCase() : name);
  const variables = new Map(Object.entries({ ...context.env, ...env }).map(([name, value]) => [keyOf(name), value]));
  for (const name of ['PWD', 'CD']) variables.set(name, begun.at(-1));
  const home = env['HOME'] ?? env['USERPROFILE'] ?? userHome;
  const filled = texts.map((text) => withVariables(text, (name) => variables.get(keyOf(name)), home, room));
  return room.left < 0 ? undefined : filled;
}

function isWindows({ platform = process.platform }: StartContext): boolean {
  return platform === 'win32';
}

/**
 * Those of the texts that are folders of the workspace or beside it, and the folders `named`; undefined if there are too
 * many.
 */
async function foldersAmong(
  texts: readonly string[],
  named: readonly string[],
  { folder, begun, roots }: BegunPlace,
  context: StartContext,
): Promise<string[] | undefined> {
  const found = new Set(named);
  const bases = new Set([...begun, ...named]);
  let lookUps = 0;
  /**
   * Adds a path if it is a folder. In `link/..`, the system resolves the link first, but a shell and some launchers do
   * not, so both meanings count.
   */
  const add = async (place: string, counts: boolean): Promise<void> => {
    const written = path.resolve(place);
    for (const one of place.includes('..') ? [place, written] : [place]) {
      lookUps++;
      if (!(await context.isFolder?.(one))) continue;
      for (const meant of [written, path.resolve((await context.realPath?.(one)) ?? one)]) {
        bases.add(meant);
        if (counts || isInOne(meant, roots)) found.add(meant);
      }
    }
  };
  const isTooMuch = () => lookUps > maxLookUps || bases.size > maxFolders;
  for (const text of texts.filter((one) => path.isAbsolute(one))) {
    // A path on another computer is not looked up, because that would contact the computer.
    if (isWindows(context) && /^[\\/]{2}/.test(text) && !startsInOne(text, roots)) continue;
    // Like a working directory, a folder beside the workspace folder counts if it is named from a folder that counts.
    await add(text, startsInOne(text, roots));
    if (isTooMuch()) return undefined;
  }
  const relative = texts.filter((one) => !path.isAbsolute(one));
  const startsInWorkspace = isInOne(folder, roots);
  // A relative folder can follow any other one: `cd a && cd b`. The set grows meanwhile.
  for (const base of bases) {
    const counts = found.has(base) || (startsInWorkspace && begun.includes(base));
    for (const text of relative) {
      await add(base + path.sep + text, counts);
      if (isTooMuch()) return undefined;
    }
  }
  if ([...found].some(isTooDeep)) return undefined;
  // The folder of the start is examined anyway.
  if (startsInWorkspace) for (const one of begun) found.delete(one);
  return [...found];
}

/** Whether a path, as written, begins with one of the folders. */
function startsInOne(text: string, folders: readonly string[]): boolean {
  return folders.some((one) => indexOfPath(text, one) === 0);
}

/**
 * The texts of a line that may be a folder: each word of each text in it, with and without the quotes of a shell, the
 * value of each option, and each path from a workspace folder on.
 */
export function folderTextsOf(line: readonly string[], roots: readonly string[]): FolderTexts {
  const result: FolderTexts = { texts: new Map(), isCut: false };
  let words = 0;
  const add = (written: string, isChosen: boolean): void => {
    const text = written.replace(/(^|[\\/])(?:\.[\\/]+)+(?=[^\\/])/g, '$1');
    const known = result.texts.get(text);
    if (text === '' || text.length > maxPathLength || known === true) return;
    if (known === undefined && result.texts.size >= maxTexts) result.isCut = true;
    else result.texts.set(text, isChosen);
  };
  const addWords = (found: readonly string[], depth: number): void => {
    let isExpected = false;
    for (const word of found) {
      if (result.isCut) return;
      if (++words > maxWords) {
        result.isCut = true;
        return;
      }
      add(word, isExpected);
      const [, option = '', value = ''] = /^([^=]{1,100})=([^]+)$/.exec(word) ?? [];
      add(value, folderOption.test(option));
      // Lists of folders, and options such as `-v sub:/app` and `-LiteralPath:sub`.
      for (const part of word.split(/[=:;,]/).slice(0, maxParts)) add(part, false);
      add(/^-\w*?C([^]+)$/.exec(word)?.[1] ?? '', true);
      if (/^-\w/.test(word)) for (const length of [2, 3, 4]) add(word.slice(length), false);
      // The variable can have the value of another word: `cd "$1/sub"`.
      add(/^(?:\$\w+|\$\{\w+\}|%\w+%)[\\/]+([^]+)$/.exec(word)?.[1] ?? '', false);
      for (const root of roots) {
        const at = indexOfPath(word, root);
        if (at < 0) continue;
        add(word.slice(at), false);
        add(root + (/^[^:,;]*/.exec(word.slice(at + root.length))?.[0] ?? ''), false);
      }
      isExpected = changesFolder.test(word) || folderOption.test(word) || (isExpected && ofCommand.test(word));
      if (depth < maxDepth) for (const inner of wordLists(word)) addWords(inner, depth + 1);
    }
  };
  addWords(line, 0);
  return result;
}

/** The words of a text, split in the ways of different shells; none if the text is one word. */
function wordLists(text: string): string[][] {
  if (!/[\s"'`\\;&|(){}<>,^]/.test(text)) return [];
  const lists = [
    // As a POSIX shell does: quoted parts belong to the word around them.
    matchesOf(text, /(?:"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s;&|(){}<>"'\\])+/g).map(withoutQuotes),
    // As shells of Windows do, where a backslash is a part of a path, and `cmd` needs no quotes around blanks.
    matchesOf(text, /(?:"[^"]*"|'[^']*'|[^\s;&|(){}<>"'])+/g).map((word) => word.replace(/["'^`]/g, '')),
    // Without regard to quotes.
    wordsOf([text]).words,
    text.split(/[;&|\n]+/).flatMap((command) => {
      const [, name = '', rest = ''] = /^(\S+)\s+([^]+)$/.exec(command.trim()) ?? [];
      return rest === '' ? [] : [name, rest.replace(/^\/d\s+/i, '')];
    }),
  ];
  const shown = new Set<string>();
  return lists.filter((words) => {
    const key = words.join('\n');
    if (words.length === 0 || key === text || shown.has(key)) return false;
    shown.add(key);
    return true;
  });
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return text.match(pattern) ?? [];
}

/** A word as a POSIX shell reads it: without quotes, and without backslashes before other characters. */
function withoutQuotes(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\[^])*)"|'([^']*)'|\\([^])/g,
    (_, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? '') : double.replace(/\\([$`"\\])/g, '$1'),
  );
}

/**
 * A text with the variables of shells filled in, and `~` as the home folder. Unknown variables stay as written.
 * @param room what remains of the maximum length of the line; negative if it is longer.
 */
function withVariables(
  text: string,
  valueOf: (name: string) => string | undefined,
  home: string,
  room: { left: number },
): string {
  const inRoom = (value: string | undefined, written: string): string => {
    room.left -= value?.length ?? 0;
    return value === undefined || room.left < 0 ? written : value;
  };
  return text
    .replace(/\$(?:env:)?(\w{1,100})|\$\{(?:env:)?(\w{1,100})\}|%(\w{1,100})%/gi, (whole, plain, braced, percent) =>
      inRoom(valueOf(String(plain ?? braced ?? percent)), whole),
    )
    .replace(/(^|[\s"'=;&|(])~(?=[\\/\s"';&|)]|$)/g, (_, before: string) => before + inRoom(home, '~'));
}

/** Whether a text has the path of a folder, with any quotes. */
function mentions(text: string, folder: string): boolean {
  return [text, text.replace(/["'`^]/g, ''), text.replace(/["'\\]/g, '')].some(
    (form) => indexOfPath(form, folder) >= 0,
  );
}

/** Where the path of a folder begins in a text; -1 if it is not there. Ignores case and the kind of slashes. */
function indexOfPath(text: string, folder: string): number {
  const [inText, wanted] = [text, folder].map((one) => one.replaceAll('\\', '/').toLowerCase());
  if (inText === undefined || wanted === undefined || wanted === '/') return -1;
  for (let at = inText.indexOf(wanted); at >= 0; at = inText.indexOf(wanted, at + 1))
    if (!/[\p{L}\p{N}_.-]/u.test(inText.charAt(at + wanted.length))) return at;
  return -1;
}
