import type { ResolvedServer } from './variables.js';

/**
 * What a server inherits: enough to find programs, a home and a language, and nothing that belongs to the editor or to the
 * user's other work (security requirement P10). SSH_AUTH_SOCK is left out: it lends the user's keys; who wants that writes
 * `"SSH_AUTH_SOCK": "${env:SSH_AUTH_SOCK}"`.
 */
const posixNames: ReadonlySet<string> = new Set(['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LANGUAGE', 'TMPDIR', 'TZ', 'DISPLAY', 'WAYLAND_DISPLAY']);
const posixPrefixes = ['LC_', 'XDG_'];
const windowsNames: ReadonlySet<string> = new Set(
  'APPDATA COMSPEC COMMONPROGRAMFILES HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR'.split(' '),
);

/** The complete environment of a server process: the inherited few, then what is configured. */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  resolved: Extract<ResolvedServer, { type: 'stdio' }>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const isWindows = platform === 'win32';
  // Names of environment variables do not tell case apart on Windows.
  const key = (name: string) => (isWindows ? name.toUpperCase() : name);
  const inherits = (name: string) => (isWindows ? windowsNames.has(key(name)) : posixNames.has(name) || posixPrefixes.some((prefix) => name.startsWith(prefix)));
  const removed = new Set(resolved.removedEnv.map(key));
  const configured = new Set(Object.keys(resolved.env).map(key));
  const result: [string, string][] = [];
  for (const [name, value] of Object.entries(parent)) {
    // "()" begins a shell function that some shells export (CVE-2014-6271).
    if (value === undefined || value.startsWith('()') || !inherits(name) || removed.has(key(name)) || configured.has(key(name))) continue;
    result.push([name, value]);
  }
  return Object.fromEntries([...result, ...Object.entries(resolved.env)]);
}
