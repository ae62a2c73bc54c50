/** For tests of what not every system has; as the options of `test` and `describe`. The runner names them as left out. */

/** Signals, process groups, shell scripts, modes of files. */
export function onlyPosix(why: string): { skip: string | false } {
  return { skip: process.platform === 'win32' && why };
}

export function onlyLinux(why: string): { skip: string | false } {
  return { skip: process.platform !== 'linux' && why };
}
