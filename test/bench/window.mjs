// Figures of a real window: activation, and tool calls compared with VS Code's own MCP client on the same server.
//   node test/bench/window.mjs        runs it alone; `dist/` must be built
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot, isMain, repoRoot } from '../harness/paths.mjs';
import { makeTempDir } from '../harness/tempDir.mjs';
import { openWindow } from '../harness/window.mjs';

const timeoutMs = 240_000;
/** Time limit for MCP Deck to store its compiled code. */
const keepLimitMs = 30_000;
/** Relative to the `User` folder of a profile. */
const keptCode = path.join('globalStorage', 'mcp-deck.mcp-deck', 'code');
const server = path.join(repoRoot, 'test', 'bench', 'server.mjs');
const stdioServer = [process.execPath, server, 'stdio', '10'];

/**
 * Opens a window, measures inside and prints; then opens another one with the compiled code that the first one stored.
 */
export async function runWindowBench() {
  const profile = makeTempDir('profile');
  try {
    print(await measureInWindow({ keepIn: profile.path }));
    printSecondStart(await measureInWindow({ startWith: profile.path }));
  } finally {
    profile.remove();
  }
}

/**
 * @param {object} options
 * @param {string} [options.keepIn] Folder to copy the compiled code to, laid out as the `User` folder of a profile.
 * @param {string} [options.startWith] Such a folder: measures the start only.
 */
async function measureInWindow({ keepIn, startWith }) {
  const temp = makeTempDir('bench');
  const web = spawn(process.execPath, [server, 'http', '10'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let window;
  let timer;
  try {
    const port = await new Promise((resolve, reject) => {
      web.stdout.once('data', (data) => resolve(Number(String(data))));
      web.once('exit', (code) => reject(new Error(`the server ended with code ${code}`)));
    });
    const job = {
      resultFile: path.join(temp.path, 'figures.json'),
      stdioServer: 'bench-stdio',
      httpServer: 'bench-http',
      connectionsUrl: `http://127.0.0.1:${port}/connections`,
      vsCodeServer: 'mcp-deck-tests.mcp-definitions/echo',
      isSecondStart: startWith !== undefined,
    };
    const [command, ...args] = stdioServer;
    window = await openWindow({
      extensionDevelopmentPath: repoRoot,
      extraExtensions: [path.join(fixturesRoot, 'extensions', 'mcp-definitions')],
      extensionTestsPath: path.join(repoRoot, 'dist', 'test', 'bench', 'window.cjs'),
      userFiles: startWith,
      // In the user's settings, so that starts ask no question; the rule does the same for calls by the command.
      settings: {
        'mcpDeck.rules': [{ effect: 'allow', callers: ['script'] }],
        'mcpDeck.servers': {
          [job.stdioServer]: { command, args },
          [job.httpServer]: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
        },
      },
      env: { MCP_DECK_BENCH_JOB: JSON.stringify(job), MCP_DECK_BENCH_SERVER: JSON.stringify(stdioServer) },
    });
    const isLate = new Promise((resolve) => (timer = setTimeout(resolve, timeoutMs)));
    await Promise.race([window.testsExit, isLate]);
    const figures = existsSync(job.resultFile)
      ? JSON.parse(readFileSync(job.resultFile, 'utf8'))
      : { error: 'no result in time' };
    if (figures.error)
      throw new Error(`${figures.error}\n${[...window.logs.page, ...window.logs.extensionHost].slice(-20).join('\n')}`);
    if (keepIn) {
      const file = path.join(window.dirs.userData, 'User', keptCode, 'deck.js.bin');
      for (const deadline = Date.now() + keepLimitMs; !existsSync(file) && Date.now() < deadline;)
        await new Promise((resolve) => setTimeout(resolve, 100));
      cpSync(path.dirname(file), path.join(keepIn, keptCode), { recursive: true });
    }
    return figures;
  } finally {
    clearTimeout(timer);
    await window?.close();
    web.kill();
    temp.remove();
  }
}

const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

function print({
  times,
  reported,
  isDeckLoadedAtActivation,
  loadDeckMs,
  firstCallMs,
  speeds,
  profile,
  httpConnections,
}) {
  console.log('\nin a window of a real VS Code, beside its own MCP client (vscode.lm.invokeTool) on the same server');
  console.log(
    `activation: code loaded in ${ms(times.loadCode)}, activate() ${ms(times.callActivate)}, resolved after ${ms(times.resolveActivate)}; deck.js loaded by it: ${isDeckLoadedAtActivation ? 'YES' : 'no'}`,
  );
  if (reported) console.log(`as VS Code reports it:\n${reported}`);
  console.log(`first call of a stopped server: ${ms(firstCallMs)}, of which loading deck.js took ${ms(loadDeckMs)}`);
  const theirs = speeds['vscode.lm.invokeTool'];
  for (const [name, { p50, p99, perSecond }] of Object.entries(speeds)) {
    const ratio =
      speeds[name] === theirs
        ? ''
        : `   ${(theirs.p50 / p50).toFixed(1)} / ${(theirs.p99 / p99).toFixed(1)} / ${(perSecond / theirs.perSecond).toFixed(1)} times better`;
    console.log(
      `${name.padEnd(22)} p50 ${ms(p50).padStart(8)}   p99 ${ms(p99).padStart(8)}   512 in flight ${perSecond.toFixed(0).padStart(6)} calls/s${ratio}`,
    );
  }
  const [constant, both, command, api] = [
    'constant command',
    'constant, then api',
    'mcpDeck.runTool',
    'api.runTool',
  ].map((name) => speeds[name].p50);
  console.log(
    `p50 of mcpDeck.runTool is ${(command / (1.3 * constant + api)).toFixed(2)} x (1.3 x constant command + api.runTool), and ${(command / both).toFixed(2)} x both one after the other`,
  );
  for (const [name, times] of Object.entries(profile)) {
    const shares = Object.entries(times).sort(([, a], [, b]) => b - a);
    console.log(`one ${name} while profiled: ${shares.map(([owner, value]) => `${owner} ${ms(value)}`).join(', ')}`);
  }
  console.log(
    `connections over http: ${httpConnections.start} by the start, ${httpConnections.calls} more by 100 calls`,
  );
}

function printSecondStart({ loadDeckMs, taken, firstCallMs }) {
  console.log(
    `second start, with the compiled code of ${taken.join(', ') || 'nothing'} from the first one: first call ${ms(firstCallMs)}, of which loading deck.js took ${ms(loadDeckMs)}`,
  );
}

if (isMain(import.meta.url)) await runWindowBench();
