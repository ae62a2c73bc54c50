/**
 * Figures that need a real extension host: started by `test/bench/window.mjs`, which passes a `Job` in
 * `MCP_DECK_BENCH_JOB` and reads a `WindowFigures` from the file named there.
 */
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { Profiler, Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import * as vscode from 'vscode';
import type { DeckApi } from '../../../src/vscode/api.js';
import { loadMeasure } from '../../../src/vscode/deckLoader.js';

interface Job {
  resultFile: string;
  /** Server names in `mcpDeck.servers`. */
  stdioServer: string;
  httpServer: string;
  /** URL of the http server's count of connections. */
  connectionsUrl: string;
  /** For `workbench.mcp.startServer`. */
  vsCodeServer: string;
  /** This is the second start of the same profile: measures only the start. */
  isSecondStart: boolean;
}

/** Milliseconds. */
interface BundleTimes {
  loadCode?: number;
  callActivate?: number;
  resolveActivate?: number;
}

interface Speed {
  /** Milliseconds per call, one call after the other. */
  p50: number;
  p99: number;
  /** Calls per second with 512 in flight. */
  perSecond: number;
}

export interface WindowFigures {
  times: BundleTimes;
  /** The line for MCP Deck in VS Code's own "Startup Performance". */
  reported?: string | undefined;
  isDeckLoadedAtActivation: boolean;
  loadDeckMs: number;
  /** Files whose compiled code was stored by an earlier start. */
  taken: string[];
  /** From requesting the first tool call to its result: loads the deck and starts the server. */
  firstCallMs: number;
  speeds: Record<string, Speed>;
  /** The time of one call by component, milliseconds. */
  profile: Record<string, Record<string, number>>;
  /** Connections over http: opened by the start with its first call, and by 100 more sequential calls. */
  httpConnections: { start: number; calls: number };
  error?: string;
}

type Call = (text: string) => Promise<string | undefined>;

const rounds = 3;
/** Time limit for VS Code to write its page of startup times. */
const reportLimitMs = 5_000;
const callsPerRound = 300;
const lanes = 512;
const callsInFlight = 2_048;

/** A command of the same extension that does nothing. */
const constantName = 'constant command';
const bothName = 'constant, then api';
const profiledCalls = 1_000;

export async function run(): Promise<void> {
  const job = JSON.parse(process.env['MCP_DECK_BENCH_JOB'] ?? '{}') as Job;
  try {
    writeFileSync(job.resultFile, JSON.stringify(await measure(job)));
  } catch (error) {
    writeFileSync(job.resultFile, JSON.stringify({ error: error instanceof Error ? error.stack : String(error) }));
    throw error;
  }
}

async function measure(job: Job): Promise<WindowFigures> {
  const times = await activate<BundleTimes>('mcp-deck-tests.mcp-definitions');
  const api = await activate<DeckApi>('mcp-deck.mcp-deck');
  const reported = await reportedActivation();
  const isDeckLoadedAtActivation = deckLoads().length > 0;

  const viaCommand: Call = async (text) => {
    const result = await vscode.commands.executeCommand<any>('mcpDeck.runTool', {
      server: job.stdioServer,
      tool: 'echo',
      arguments: { text },
    });
    return result.content[0].text;
  };
  const viaApi: Call = async (text) =>
    textOf(await api.runTool({ server: job.stdioServer, tool: 'echo', arguments: { text } }));
  const started = performance.now();
  await viaCommand('first');
  const firstCallMs = performance.now() - started;
  const [load] = deckLoads();
  if (!load) throw new Error('deck.js was not loaded');
  const start = {
    times,
    reported,
    isDeckLoadedAtActivation,
    loadDeckMs: load.duration,
    taken: load.detail.taken,
    firstCallMs,
  };
  if (job.isSecondStart) return { ...start, speeds: {}, profile: {}, httpConnections: { start: 0, calls: 0 } };
  // In this window the bench counts as part of MCP Deck, and so does its command.
  const constant = vscode.commands.registerCommand(
    'mcpDeck.bench.constant',
    (call: { arguments: { text: string } }) => ({ content: [{ type: 'text', text: call.arguments.text }] }),
  );
  const viaConstant: Call = async (text) => {
    const result = await vscode.commands.executeCommand<any>('mcpDeck.bench.constant', {
      server: job.stdioServer,
      tool: 'echo',
      arguments: { text },
    });
    return result.content[0].text;
  };
  // VS Code sends its messages about a command after an empty command has ended, which delays a call that follows it.
  const viaBoth: Call = async (text) => {
    await viaConstant(text);
    return viaApi(text);
  };
  const calls: Record<string, Call> = {
    [constantName]: viaConstant,
    [bothName]: viaBoth,
    'mcpDeck.runTool': viaCommand,
    'api.runTool': viaApi,
    'vscode.lm.invokeTool': await vsCodeCall(job),
  };

  const latencies: Record<string, number[]> = {};
  const perSecond: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      (latencies[name] ??= []).push(...(await oneByOne(call)));
      (perSecond[name] ??= []).push(await inFlight(call));
    }
  }
  const speeds = Object.fromEntries(
    Object.keys(calls).map((name) => [
      name,
      {
        p50: percentile(latencies[name]!, 0.5),
        p99: percentile(latencies[name]!, 0.99),
        perSecond: percentile(perSecond[name]!, 0.5),
      },
    ]),
  );
  const profile = { 'mcpDeck.runTool': await profiled(viaCommand), 'api.runTool': await profiled(viaApi) };
  constant.dispose();
  return { ...start, speeds, profile, httpConnections: await connectionsOf100Calls(api, job) };
}

const deckLoads = (): PerformanceMeasure[] => performance.getEntriesByName(loadMeasure) as PerformanceMeasure[];

async function activate<T>(id: string): Promise<T> {
  const extension = vscode.extensions.getExtension<T>(id);
  if (!extension) throw new Error(`${id} is not installed`);
  return extension.activate();
}

function textOf(result: Awaited<ReturnType<DeckApi['runTool']>>): string | undefined {
  const [block] = result.content;
  return block?.type === 'text' ? (block as { text: string }).text : undefined;
}

/** VS Code's own client, on a process of the same server. Its tools appear some time after the server starts. */
async function vsCodeCall(job: Job): Promise<Call> {
  const deadline = Date.now() + 30_000;
  let name: string | undefined;
  while ((name = vscode.lm.tools.find((tool) => tool.name.endsWith('_echo'))?.name) === undefined) {
    if (Date.now() > deadline)
      throw new Error(
        `VS Code's client shows no echo tool, but: ${vscode.lm.tools.map((tool) => tool.name).join(', ')}`,
      );
    // Returns nothing for a server that it does not know yet, and there is no event for either case.
    await vscode.commands.executeCommand('workbench.mcp.startServer', job.vsCodeServer, { waitForLiveTools: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const tool = name;
  return async (text) => {
    const { content } = await vscode.lm.invokeTool(tool, { input: { text }, toolInvocationToken: undefined });
    return (content[0] as vscode.LanguageModelTextPart).value;
  };
}

async function oneByOne(call: Call): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < callsPerRound; i++) {
    const start = performance.now();
    const answer = await call(`hello ${i}`);
    times.push(performance.now() - start);
    if (answer !== `hello ${i}`) throw new Error(`wrong answer: ${answer}`);
  }
  return times;
}

/** Calls a second with 512 of them in flight. */
async function inFlight(call: Call): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < callsInFlight) {
      const text = `hello ${next++}`;
      const answer = await call(text);
      if (answer !== text) throw new Error(`wrong answer: ${answer}`);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  return (callsInFlight * 1_000) / (performance.now() - start);
}

/** Time on the extension host's thread during sequential calls, by the component whose code ran. */
async function profiled(call: Call): Promise<Record<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 100 });
  await session.post('Profiler.start');
  for (let i = 0; i < profiledCalls; i++) await call(`hello ${i}`);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const owners = ownersIn(profile);
  const times: Record<string, number> = {};
  profile.samples?.forEach((id, index) => {
    const owner = owners.get(id) ?? 'Node';
    if (owner === 'bench') return;
    times[owner] = (times[owner] ?? 0) + (profile.timeDeltas?.[index] ?? 0) / 1_000 / profiledCalls;
  });
  return times;
}

/**
 * Assigns each node to a component: the innermost frame above it that belongs to MCP Deck or VS Code, because both also
 * run Node code.
 */
function ownersIn({ nodes }: Profiler.Profile): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const owners = new Map<number, string>();
  const walk = (id: number, inherited: string): void => {
    const node = byId.get(id);
    if (!node) return;
    const owner = ownerOf(node.callFrame) ?? inherited;
    owners.set(id, owner);
    for (const child of node.children ?? []) walk(child, owner);
  };
  if (nodes[0]) walk(nodes[0].id, 'Node');
  return owners;
}

function ownerOf({ functionName, url }: Runtime.CallFrame): string | undefined {
  if (functionName === '(idle)') return 'waiting';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (/\/dist\/test\/bench\//.test(url) || url === 'node:inspector') return 'bench';
  if (/\/dist\/(?:deck|extension|lib)/.test(url)) return 'MCP Deck';
  // Only the connection to the window is compressed.
  if (url === 'node:zlib' || url.includes('extensionHostProcess')) return 'VS Code';
  return undefined;
}

async function connectionsOf100Calls(api: DeckApi, job: Job): Promise<WindowFigures['httpConnections']> {
  const call: Call = async (text) =>
    textOf(await api.runTool({ server: job.httpServer, tool: 'echo', arguments: { text } }));
  // Each request opens a connection too.
  const before = Number(await read(job.connectionsUrl));
  await call('first');
  const started = Number(await read(job.connectionsUrl));
  for (let i = 0; i < 100; i++) {
    const answer = await call(`hello ${i}`);
    if (answer !== `hello ${i}`) throw new Error(`wrong answer: ${answer}`);
  }
  const after = Number(await read(job.connectionsUrl));
  return { start: started - before - 1, calls: after - started - 1 };
}

function read(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
  });
}

/** VS Code's figures for our activation; undefined where this version has no such page. */
async function reportedActivation(): Promise<string | undefined> {
  try {
    await vscode.commands.executeCommand('perfview.show');
    return await writtenActivation();
  } catch {
    // Older versions of VS Code do not have it.
    return undefined;
  }
}

/** VS Code writes the page in steps, each a change of its document; undefined when our line never appears. */
function writtenActivation(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const look = () => {
      const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'perf');
      const lines = document?.getText().split('\n') ?? [];
      const ours = lines.find((line) => line.includes('mcp-deck.mcp-deck'));
      if (ours !== undefined) leave(`${lines.find((line) => line.includes('Load Code')) ?? ''}\n${ours}`);
    };
    const listeners = [vscode.workspace.onDidOpenTextDocument(look), vscode.workspace.onDidChangeTextDocument(look)];
    const timer = setTimeout(() => leave(undefined), reportLimitMs);
    const leave = (found: string | undefined) => {
      clearTimeout(timer);
      for (const listener of listeners) listener.dispose();
      resolve(found);
    };
    look();
  });
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
