// How long the command line runs a test file with 100 cases over stdio, and the server's own time in the same run: its
// start, its handshake, and the same 100 calls one after the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { median } from './median.mjs';

const peer = path.resolve('test/bench/gatewayPeer.mjs');
const caseCount = 100;

/** The server's own time, ms. */
async function serverAlone() {
  const begin = performance.now();
  const child = spawn(process.execPath, [peer, 'legacy'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = readline.createInterface({ input: child.stdout });
  const request = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    await once(lines, 'line');
  };
  await request(0, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  for (let at = 1; at <= caseCount; at++)
    await request(at, 'tools/call', { name: 'echo_legacy', arguments: { text: `hello ${at}` } });
  const ms = performance.now() - begin;
  child.kill();
  return ms;
}

/** `mcp-deck test` with the file: the time that the report states and the time of the whole process, ms. */
async function testCommand(folder) {
  const begin = performance.now();
  const child = spawn(
    process.execPath,
    [path.resolve('dist/cli.mjs'), 'test', 'bench.mcptest.yaml', '--yes', '--json'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  const whole = performance.now() - begin;
  if (code !== 0)
    throw new Error(`The test command ended with code ${code}: ${String(Buffer.concat(chunks)).slice(0, 1_000)}`);
  return { reported: JSON.parse(Buffer.concat(chunks)).durationMs, whole };
}

/** Prints the times of test runs, each beside the server's own time of the same round. */
export async function printTestRuns(rounds) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-test-run-'));
  try {
    const server = { command: process.execPath, args: [peer, 'legacy'] };
    const cases = Array.from({ length: caseCount }, (_, at) =>
      [
        `  - name: case ${at}`,
        '    call: echo_legacy',
        `    arguments: { text: "hello ${at}" }`,
        '    expect:',
        `      text: "hello ${at}"`,
        '',
      ].join('\n'),
    );
    writeFileSync(
      path.join(folder, 'bench.mcptest.yaml'),
      `server: ${JSON.stringify(server)}\ntests:\n${cases.join('')}`,
    );
    const alone = [];
    const runs = [];
    for (let round = 0; round < rounds; round++) {
      alone.push(await serverAlone());
      runs.push(await testCommand(folder));
    }
    const ms = (values) => `${median(values).toFixed(0)} ms`;
    console.log(
      `test run of ${caseCount} cases, stdio: ${ms(runs.map(({ reported }) => reported))} (whole process ${ms(runs.map(({ whole }) => whole))}), server alone ${ms(alone)}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
