/**
 * Runs beside a server and waits on its standard input for the harness. If the input closes without a message, the
 * harness was killed (SIGKILL, a crash) and had no time to clean up. The guard then does the cleanup:
 *
 *   node guard.mjs <pid of the server> <mark in its environment> <folder to remove>
 */
import { rmSync } from 'node:fs';
import { watchProcesses } from './processWatch.mjs';

const [pid, mark, folder] = process.argv.slice(2);
const watch = watchProcesses(Number(pid), mark);
let isDismissed = false;

process.stdin.on('data', () => (isDismissed = true));
process.stdin.on('close', () => {
  if (!isDismissed) {
    watch.killAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
  process.exit();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the harness decides when to end
