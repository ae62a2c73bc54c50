import os from 'node:os';

/** The path of a file for display, with `~` for the home folder of the user. */
export function withHomeAsTilde(file: string): string {
  const home = os.homedir();
  return file.startsWith(home) ? `~${file.slice(home.length)}` : file;
}
