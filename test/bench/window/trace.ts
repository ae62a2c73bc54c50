/**
 * The trace in a real extension host, while its page is open and follows: started by `test/bench/windowTrace.mjs`,
 * which passes in `MCP_DECK_BENCH_JOB` the files that both sides use to signal each other.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';

interface Job {
  server: string;
  perSecond: number;
  /** Seconds of each flood. There are two, because the log is full after the first. */
  seconds: number;
  resultFile: string;
  /** Signals that the page is drawn and the flood may begin. */
  readyFile: string;
  /** Signals that the page was measured and the window may close. */
  doneFile: string;
}

/** Milliseconds of the event loop's delay. */
interface Delay {
  p50: number;
  p99: number;
  max: number;
}

export interface TraceFigures {
  idle: Delay;
  floods: {
    delay: Delay;
    /** Share of one core, 0 to 1. */
    cpuShare: number;
    seconds: number;
    heapAfterMiB: number;
    rssAfterMiB: number;
  }[];
  heapBeforeMiB: number;
  rssBeforeMiB: number;
  error?: string;
}

const pollMs = 100;
const limitMs = 180_000;
const idleSeconds = 5;
/** Interval of the timer that measures; it is included in each delay. */
const resolutionMs = 1;

export async function run(): Promise<void> {
  const job = JSON.parse(process.env['MCP_DECK_BENCH_JOB'] ?? '{}') as Job;
  try {
    const figures = await measure(job);
    writeFileSync(job.resultFile, JSON.stringify(figures));
    await appearance(job.doneFile);
  } catch (error) {
    writeFileSync(job.resultFile, JSON.stringify({ error: error instanceof Error ? error.stack : String(error) }));
    throw error;
  }
}

async function measure({ server, perSecond, seconds, readyFile }: Job): Promise<TraceFigures> {
  await vscode.commands.executeCommand('mcpDeck.showTrace', { server });
  await vscode.commands.executeCommand('mcpDeck.startServer', { server });
  await appearance(readyFile);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const memory = () => {
    collect();
    const { heapUsed, rss } = process.memoryUsage();
    return { heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 };
  };
  const flood = () =>
    vscode.commands.executeCommand('mcpDeck.runTool', { server, tool: 'flood', arguments: { perSecond, seconds } });
  const idle = (await watched(() => sleep(idleSeconds * 1_000))).delay;
  const before = memory();
  const floods: TraceFigures['floods'] = [];
  for (let round = 0; round < 2; round++) {
    const { delay, cpuShare, seconds: took } = await watched(flood);
    const after = memory();
    floods.push({ delay, cpuShare, seconds: took, heapAfterMiB: after.heap, rssAfterMiB: after.rss });
  }
  return { idle, floods, heapBeforeMiB: before.heap, rssBeforeMiB: before.rss };
}

async function watched(work: () => Thenable<unknown>): Promise<{ delay: Delay; cpuShare: number; seconds: number }> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  const began = performance.now();
  const cpu = process.cpuUsage();
  delay.enable();
  await work();
  delay.disable();
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const ms = (nanoseconds: number) => nanoseconds / 1e6 - resolutionMs;
  return {
    delay: { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) },
    cpuShare: (user + system) / 1_000 / took,
    seconds: took / 1_000,
  };
}

/** The other side has no other channel for this signal. */
async function appearance(file: string): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!existsSync(file)) {
    if (Date.now() > deadline) throw new Error(`${file} never came`);
    await sleep(pollMs);
  }
}
