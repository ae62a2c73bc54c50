/**
 * Options of `test` and `describe` for tests that need a feature not available on every system. The runner lists
 * skipped tests.
 */

/** Signals, process groups, shell scripts, file modes. */
export function onlyPosix(why: string): { skip: string | false } {
  return { skip: process.platform === 'win32' && why };
}

export function onlyLinux(why: string): { skip: string | false } {
  return { skip: process.platform !== 'linux' && why };
}
