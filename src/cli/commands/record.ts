import { existsSync } from 'node:fs';
import path from 'node:path';
import { visibleLine } from '../../core/base/hostileText.js';
import { Gateway } from '../../core/gateway/gateway.js';
import type { McpHost } from '../../core/host/mcpHost.js';
import { fileNameOf } from '../../core/present/text/fileName.js';
import { makeRecording, recordingLimits } from '../../core/testing/recording/makeRecording.js';
import { writeRecording } from '../../core/testing/recording/recordingFile.js';
import { recordingEnding, requestsOf } from '../../core/testing/recording/recordingModel.js';
import type { ExitCode } from '../cliError.js';
import { CliError, usageError, version } from '../cliError.js';
import { findServer, readObject, requestFailure, startServer } from '../cliHost.js';
import { lazyChecks } from '../lazyChecks.js';
import { serverOptions, optionTexts } from '../options.js';
import { refusedQuestions } from '../programPorts.js';
import { serveClients, servingLog, servingOptions } from '../serveClients.js';
import type { Command, CommandRun } from './command.js';
import { serverAndWords, withServers } from './serverCommand.js';

export const recordCommand: Command = {
  words: '<server> [file]',
  help: 'Record what a server answers to clients, or to the calls of --call.',
  options: {
    ...serverOptions,
    call: { value: '"TOOL JSON"', isRepeated: true, help: 'Call a tool and serve no client. Can be repeated.' },
    ...servingOptions,
    force: { help: 'Replace the file if it exists.' },
  },
  examples: [
    'mcp-deck record calculator',
    `mcp-deck record calculator sums${recordingEnding} --call 'add {"a": 2, "b": 3}'`,
    'mcp-deck record calculator --transport http --port 3000',
  ],
  run: async (run) => {
    const { server: name, rest } = serverAndWords(run, ['file'], 0);
    const file = path.resolve(run.folder, rest[0] ?? fileNameOf(name, 'server') + recordingEnding);
    if (existsSync(file) && run.options.values['force'] !== true)
      throw usageError(`The file ${file} exists. Name another file, or add --force to replace it.`);
    const calls = await Promise.all(optionTexts(run.options, 'call').map(readCall));
    // Without a client, questions of the server cannot be answered, so the host declares no sampling or elicitation.
    const ports = calls.length > 0 ? undefined : refusedQuestions;
    return withServers(run, (host) => record(run, host, findServer(host, name), file, calls), ports);
  },
};

interface Call {
  tool: string;
  values: Record<string, unknown>;
}

async function record(
  run: CommandRun,
  host: McpHost,
  server: string,
  file: string,
  calls: readonly Call[],
): Promise<ExitCode> {
  const { output, questions, signal } = run;
  const messages = host.traces.record(server, recordingLimits);
  await startServer(host, server, questions, signal);
  const code = calls.length > 0 ? await callAll(run, host, server, calls) : await serve(run, host);
  const features = host.servers.get(server)?.features;
  const secrets = host.servers.secretValues(server);
  messages.dispose();
  const { recording, skipped } = await makeRecording({ log: messages.log, server, secrets, features });
  await writeRecording(file, recording).catch((error: unknown) => {
    throw new CliError(2, 'storage-failed', `The recording was not written to ${file}: ${(error as Error).message}`);
  });
  const count = requestsOf(recording).length;
  if (output.isJson && calls.length > 0) output.json({ ok: code === 0, server, file, requests: count, skipped });
  else output.note(`Recorded ${count} requests of ${visibleLine(server, 60)} to ${file}.`);
  if (skipped > 0)
    output.note(`${skipped} requests or messages are missing, because they were not answered, or were too long.`);
  return code;
}

/** Serves clients, whose requests go to the server unchanged. */
async function serve(run: CommandRun, host: McpHost): Promise<ExitCode> {
  const gateway = new Gateway({
    host,
    info: { name: 'mcp-deck', title: 'MCP Deck', version },
    log: servingLog(run.output),
    validate: lazyChecks(),
    mayAsk: true,
  });
  try {
    await serveClients(gateway.server, run);
  } finally {
    gateway.dispose();
  }
  return 0;
}

async function callAll(
  { signal }: CommandRun,
  host: McpHost,
  server: string,
  calls: readonly Call[],
): Promise<ExitCode> {
  let code: ExitCode = 0;
  for (const { tool, values } of calls) {
    const result = await host.calls
      .runTool(
        { server, tool, arguments: values },
        { caller: 'script', isApi: true, signal, onProgress: () => undefined, onOutputProblems: () => undefined },
      )
      .catch((error: unknown) => requestFailure(error, server));
    if (result instanceof CliError ? result.exitCode : result.isError) code = 1;
  }
  return code;
}

/** Reads the value of `--call`: the name of a tool, and its arguments as JSON. */
async function readCall(text: string): Promise<Call> {
  const [, tool, json] = /^\s*(\S+)\s*(.*)$/s.exec(text) ?? [];
  if (tool === undefined) throw usageError('--call needs the name of a tool.');
  return { tool, values: await readObject(json === '' ? undefined : json) };
}
