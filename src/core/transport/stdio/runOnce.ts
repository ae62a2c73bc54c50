import { execFile } from 'node:child_process';
import { t } from '@vscode/l10n';
import { windowsCommand } from './windowsCommand.js';

/** Time limit for a program to print its version, in milliseconds. */
const versionWithinMs = 8_000;

/**
 * Runs a program that prints something, such as its version, and ends. Never rejects.
 * @param file the path of the program.
 * @param signal ends the program.
 * @returns the trimmed output of both streams, and why the program failed, as the end of a sentence.
 */
export function runOnce(
  file: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<{ output: string; problem?: string }> {
  const start =
    process.platform === 'win32'
      ? windowsCommand(file, args)
      : { command: file, args: [...args], windowsVerbatimArguments: false };
  return new Promise((resolve) => {
    execFile(
      start.command,
      start.args,
      {
        cwd,
        env: { ...env },
        timeout: versionWithinMs,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024,
        windowsHide: true,
        windowsVerbatimArguments: start.windowsVerbatimArguments,
        ...(signal ? { signal } : {}),
      },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`.trim();
        if (!error) resolve({ output });
        else if (error.killed === true)
          resolve({ output, problem: t('did not respond within {0} seconds', versionWithinMs / 1_000) });
        else
          resolve({
            output,
            problem:
              typeof error.code === 'number'
                ? t('ended with code {0}', error.code)
                : t('could not be run ({0})', String(error.code)),
          });
      },
    );
  });
}
