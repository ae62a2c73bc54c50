/** Runs a program to its end and returns its output. On failure, throws an error that contains the output. */
import { spawn } from 'node:child_process';
import { atEnd } from './atEnd.mjs';
import { killTree } from './processTree.mjs';

export async function runToEnd(command, args, { cwd, env, timeoutMs = 600_000 } = {}) {
  const isBatchFile = process.platform === 'win32' && !/\.exe$/i.test(command);
  const child = spawn(command, args, { cwd, env, shell: isBatchFile, stdio: ['ignore', 'pipe', 'pipe'] });
  const forget = atEnd(() => killTree(child.pid));
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killTree(child.pid);
  }, timeoutMs);
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, signal) => resolve(exitCode ?? signal));
    });
    const text = Buffer.concat(output).toString('utf8').trim();
    const name = `${command} ${args.join(' ')}`;
    if (isLate) throw new Error(`${name} did not end within ${timeoutMs / 1000} s.\n${text}`);
    if (code !== 0) throw new Error(`${name} ended with ${code}.\n${text}`);
    return text;
  } finally {
    clearTimeout(timer);
    forget();
  }
}
