import { spawn } from 'node:child_process';

/**
 * Opens an address of http or https in the user's browser, if there is one. The address is shown as well, so a failure
 * needs no message.
 */
export function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): void {
  const opener = openerOf(process.platform, env);
  if (!opener) return;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}

/** The program that opens an address; undefined if there is no browser with a window. */
function openerOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // The address is not passed to a shell, which would read the "&" in it.
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler'];
  // Without a display, xdg-open would start a browser in the terminal, which has no input here.
  const hasDisplay = [env['DISPLAY'], env['WAYLAND_DISPLAY'], env['BROWSER']].some((value) => (value ?? '') !== '');
  return hasDisplay ? ['xdg-open'] : undefined;
}
