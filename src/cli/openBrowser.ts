import { spawn } from 'node:child_process';
import os from 'node:os';
import { findCommand, withoutProjectPrograms } from '../core/transport/stdio/findCommand.js';
import { systemProgram } from '../core/transport/stdio/windowsCommand.js';

/**
 * Opens an http or https URL in the user's browser, if there is one. The URL is shown as well, so a failure needs no
 * message. The working directory is a repository, so no program of it is run.
 */
export function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): void {
  const opener = openerOf(process.platform, env);
  if (!opener) return;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, url], {
    stdio: 'ignore',
    detached: true,
    cwd: os.homedir(),
    env: withoutProjectPrograms(env),
  });
  child.once('error', () => undefined);
  child.unref();
}

/**
 * The absolute path of the program that opens a URL, with its arguments; undefined if there is no browser with a
 * window.
 */
export function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['/usr/bin/open'];
  // The URL is not passed to a shell, which would read the "&" in it.
  if (platform === 'win32') return [systemProgram('rundll32.exe'), 'url.dll,FileProtocolHandler'];
  // Without a display, xdg-open would start a browser in the terminal, which has no input here.
  const hasDisplay = [env['DISPLAY'], env['WAYLAND_DISPLAY'], env['BROWSER']].some((value) => (value ?? '') !== '');
  const found = hasDisplay
    ? findCommand('xdg-open', withoutProjectPrograms(env), os.homedir(), platform).found
    : undefined;
  return found === undefined ? undefined : [found];
}
