/**
 * The cost of tracing: 5,000 messages per second pass a traced wire while a view reads windows of rows and a filter
 * runs. Measures the delay of the event loop, the heap and the number of lines kept. Built as `dist/bench-trace.mjs`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { traceRow } from '../../src/core/present/documents/traceRows.js';
import { Traces } from '../../src/core/trace/traces.js';
import { TraceWindow } from '../../src/core/trace/traceWindow.js';
import { Wire } from '../../src/core/session/wire.js';
import type { Transport } from '../../src/core/transport/transport.js';

const perTick = 50;
const tickMs = 10;
const seconds = 30;

class NullTransport implements Transport {
  readonly kind = 'memory';
  open = () => Promise.resolve();
  send = () => undefined;
  close = () => Promise.resolve();
}

const traces = new Traces();
const wire = new Wire(new NullTransport(), {}, { tap: traces.slotOf('s') });
const text = (number: number) =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":${number},"message":"${'x'.repeat(300)}"}}`;
const heap = () => (global.gc?.(), process.memoryUsage().heapUsed / 2 ** 20);

/** CPU time of one message through the wire, in microseconds. */
function costOf(count: number): number {
  const message = JSON.parse(text(1)) as unknown;
  const line = text(1);
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) wire.onMessage(message, line);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

costOf(200_000);
const off = costOf(1_000_000);
traces.start('s');
costOf(200_000);
const on = costOf(300_000);

const log = traces.log('s');
if (!log) throw new Error('no log');
const window = new TraceWindow(log);
window.setFilter({ text: '"progress":1', method: '', errorsOnly: false });
const delay = monitorEventLoopDelay({ resolution: 1 });
const heaps: number[] = [heap()];
delay.enable();
const began = performance.now();
let sent = 0;
while (performance.now() - began < seconds * 1_000) {
  const due = Math.floor(((performance.now() - began) / tickMs) * perTick);
  for (; sent < due; sent++) {
    const line = text(sent);
    wire.onMessage(JSON.parse(line), line);
  }
  if (sent % (perTick * 10) < perTick)
    window.rows(window.end - 60, window.end).map((row) => traceRow(row, log.redactor(['a-secret-value'])));
  await sleep(tickMs);
}
delay.disable();
const rate = Math.round(sent / seconds);
heaps.push(heap());
// The same number of lines again: a full log does not grow further.
const more = sent + 150_000;
for (; sent < more; sent++) {
  const line = text(sent);
  wire.onMessage(JSON.parse(line), line);
  if (sent % 1_000 === 0) await sleep(0);
}
heaps.push(heap());
console.log(`trace wire          off ${off.toFixed(3)} µs a message, on ${on.toFixed(3)} µs`);
console.log(
  `trace 5,000/s       ${rate}/s sent; event loop delay p50 ${(delay.percentile(50) / 1e6).toFixed(1)} p99 ${(delay.percentile(99) / 1e6).toFixed(1)} max ${(delay.max / 1e6).toFixed(1)} ms (timer of ${tickMs} ms in it); heap ${heaps.map((value) => value.toFixed(0)).join(' → ')} MiB, ${log.end - log.first} lines held`,
);
window.dispose();
traces.dispose();
