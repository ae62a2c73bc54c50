import path from 'node:path';
import { maskText, maskValue } from '../../core/base/masking.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { jsonText } from '../../core/base/jsonText.js';
import type { ComparedRequest } from '../../core/testing/recording/compareRecording.js';
import { calledTools, compareRecording } from '../../core/testing/recording/compareRecording.js';
import type { JsonDifference } from '../../core/testing/recording/jsonDifferences.js';
import { described } from '../../core/testing/recording/recordedAnswers.js';
import type { Recording } from '../../core/testing/recording/recordingModel.js';
import { findServer, startServer } from '../cliHost.js';
import { serverOptions } from '../options.js';
import type { Output } from '../output.js';
import { refusedQuestions } from '../programPorts.js';
import type { Command, CommandRun } from './command.js';
import { recordingOf } from './mock.js';
import { serverAndWords, withServers } from './serverCommand.js';

/** Maximum length of a value that is shown, in characters. */
const maxShown = 200;

export const compareCommand: Command = {
  words: '<server> <file>',
  help: 'Send the requests of a recording to a server again. Ends with 1 if an answer differs.',
  options: {
    ...serverOptions,
    yes: { help: 'Run the commands of files, and call the recorded tools, without asking you.' },
  },
  examples: ['mcp-deck compare calculator calculator.mcprecording.jsonl --yes'],
  run: async (run) => {
    const { output, signal, folder } = run;
    const { server: name, rest } = serverAndWords(run, ['file'], 1);
    const recording = await recordingOf(path.resolve(folder, rest[0] ?? ''));
    await confirmCalls(run, name, recording);
    return withServers(
      run,
      async (host) => {
        const server = findServer(host, name);
        await startServer(host, server, run.questions, signal);
        const { compared, skipped } = await compareRecording(recording, {
          host,
          server,
          signal,
          onRequest: ({ request, params }, index, count) =>
            output.progress(`${index + 1}/${count} ${described(request, params)}`),
        });
        output.clearProgress();
        const secrets = host.servers.secretValues(server);
        const different = compared.flatMap((one): ComparedRequest[] =>
          one.differences.length === 0
            ? []
            : [{ ...one, differences: one.differences.map((found) => withoutSecrets(found, secrets)) }],
        );
        if (output.isJson)
          output.json({
            ok: different.length === 0,
            server,
            compared: compared.length,
            ...report(different),
            skipped: skipped.length,
          });
        else show(output, compared.length, different, skipped.length);
        return different.length > 0 ? 1 : 0;
      },
      refusedQuestions,
    );
  },
};

/**
 * Lists the tools that the recording calls, and asks whether to call them. A recording cannot prove that a tool only
 * reads.
 */
async function confirmCalls({ questions }: CommandRun, server: string, recording: Recording): Promise<void> {
  const calls = [...calledTools(recording)];
  if (calls.length === 0) return;
  const list = calls.map(([tool, count]) => `  ${visibleLine(tool, 100)} (${count})`).join('\n');
  const text = `The comparison calls tools of "${visibleLine(server, 60)}", which can change something:\n${list}`;
  await questions.confirm(text, 'Call them? [y/N] ', 'No request was sent.');
}

/** The difference with the known secrets in the server's answer masked. Recordings contain no secrets. */
function withoutSecrets({ path: place, expected, actual }: JsonDifference, secrets: readonly string[]): JsonDifference {
  return { path: maskText(place, secrets), expected, actual: maskValue(actual, secrets) };
}

function report(different: readonly ComparedRequest[]): { differences: unknown[] } {
  return {
    differences: different.map(({ request: { request, params }, differences }) => ({ request, params, differences })),
  };
}

function show(output: Output, count: number, different: readonly ComparedRequest[], skipped: number): void {
  for (const { request, differences } of different) {
    output.line(output.style(`✗ ${described(request.request, request.params)}`, 'red'));
    for (const { path: place, expected, actual } of differences) {
      output.line(`    ${visibleLine(place, 200)}`);
      output.line(`      recorded: ${shown(expected)}`);
      output.line(`      now:      ${shown(actual)}`);
    }
  }
  output.line(`${count - different.length} of ${count} answers are as recorded.`);
  if (skipped > 0)
    output.line(
      `${skipped} requests were not sent, because parts of them are redacted, or because a comparison does not send requests of their method.`,
    );
}

function shown(value: unknown): string {
  return value === undefined ? '(none)' : visibleLine(jsonText(value), maxShown);
}
