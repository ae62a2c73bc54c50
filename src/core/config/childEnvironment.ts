import { wordSet } from '../../shared/wordSet.js';

/**
 * The environment variables that a server inherits: enough to find programs, a home folder and a language, but nothing
 * that belongs to the editor or to the user's other work (security requirement P10). The basis is the list of the
 * official SDKs, extended by the variables for language, time zone, temporary and XDG folders, and by the display
 * variables, because a server needs a display to open the browser for its own sign-in. SSH_AUTH_SOCK is not inherited,
 * because it gives access to the user's keys; a configuration can add `"SSH_AUTH_SOCK": "${env:SSH_AUTH_SOCK}"`.
 */
const posixNames: ReadonlySet<string> = new Set([
  'HOME',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'USER',
  'LANG',
  'LANGUAGE',
  'TMPDIR',
  'TZ',
  'DISPLAY',
  'WAYLAND_DISPLAY',
]);
const posixPrefixes = ['LC_', 'XDG_'];
const windowsNames: ReadonlySet<string> = wordSet(`
  APPDATA COMSPEC COMMONPROGRAMFILES HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATH PATHEXT
  PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 SYSTEMDRIVE SYSTEMROOT TEMP
  TMP USERNAME USERPROFILE WINDIR
`);

/**
 * Set for every server on Windows unless the definition sets or removes it. With it, cmd.exe does not search its
 * working directory for programs, so that the batch file of a known program does not run a `node.exe` of a repository.
 */
const noWorkingDirectorySearch = 'NoDefaultCurrentDirectoryInExePath';

/**
 * Variables of the editor, never inherited: ELECTRON_RUN_AS_NODE, for example, changes how an editor or Electron
 * program runs.
 */
const editorsOwn = /^(?:VSCODE|ELECTRON)_/i;

/** Determines how much of the parent environment a server inherits. */
export interface ChildEnvironmentOptions {
  /**
   * Inherits everything except the editor's variables and exported shell functions; for users who opt in. Default
   * false.
   */
  inheritAll?: boolean;
}

/** The part of a definition that changes the environment. */
export interface ConfiguredEnvironment {
  env: Readonly<Record<string, string>>;
  /** Names of variables that are not inherited. */
  removedEnv: readonly string[];
}

/** The complete environment of a server process: inherited variables, then configured ones. */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  configured: ConfiguredEnvironment,
  platform: NodeJS.Platform,
  { inheritAll = false }: ChildEnvironmentOptions = {},
): Record<string, string> {
  const isWindows = platform === 'win32';
  // On Windows, names of environment variables are case-insensitive.
  const key = (name: string) => (isWindows ? name.toUpperCase() : name);
  const isListed = (name: string) =>
    isWindows
      ? windowsNames.has(key(name))
      : posixNames.has(name) || posixPrefixes.some((prefix) => name.startsWith(prefix));
  const inherits = (name: string) => (inheritAll ? !editorsOwn.test(name) : isListed(name));
  const removed = new Set(configured.removedEnv.map(key));
  const result = new Map<string, [string, string]>();
  if (isWindows && !removed.has(key(noWorkingDirectorySearch)))
    result.set(key(noWorkingDirectorySearch), [noWorkingDirectorySearch, '1']);
  for (const [name, value] of Object.entries(parent)) {
    // A value that begins with "()" is a shell function exported by a shell (CVE-2014-6271). Such variables are left
    // out.
    if (value === undefined || value.startsWith('()') || !inherits(name) || removed.has(key(name))) continue;
    result.set(key(name), [name, value]);
  }
  // Stored by a case-insensitive key on Windows, so that no name occurs in two spellings.
  for (const [name, value] of Object.entries(configured.env)) result.set(key(name), [name, value]);
  return Object.fromEntries(result.values());
}
