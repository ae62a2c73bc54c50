/**
 * Starts one server in a separate process and measures the memory growth:
 *
 *   node memoryChild.mjs <definition as JSON> <maxMessageBytes>
 *
 * Prints the growth as JSON.
 */
import { headlessHost } from './headlessHost.js';

const [definition = '{}', limit = '0'] = process.argv.slice(2);
const { host, logs } = headlessHost({
  servers: { s: JSON.parse(definition) as unknown, first: { type: 'http', url: 'http://127.0.0.1:9/mcp' } },
  settings: { maxMessageBytes: Number(limit), startTimeoutMs: 120_000, requestTimeoutMs: 120_000 },
});
await host.open();
// The memory of the code itself does not count, so it is loaded before.
await host.lifecycle.start('first', { interactive: false }).catch(() => undefined);
const before = process.memoryUsage.rss();
let most = before;
const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
let outcome: string;
try {
  await host.lifecycle.start('s', { interactive: false });
  outcome = 'started';
} catch (error) {
  outcome = error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
clearInterval(timer);
// `maxRSS` is in KiB, and is the peak, so no growth is missed.
process.stdout.write(
  `${JSON.stringify({ outcome, grewBytes: Math.max(most, process.resourceUsage().maxRSS * 1024) - before, tools: host.servers.get('s')?.features?.tools.length ?? 0, log: (logs.get('s') ?? []).filter((line) => line.includes('the list was cut')).length })}\n`,
);
await host.close();
process.exit(0);
