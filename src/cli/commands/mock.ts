import path from 'node:path';
import { UserError } from '../../core/base/hostError.js';
import { HostError } from '../../core/base/hostError.js';
import { failureText } from '../../core/present/failure/failureText.js';
import { createMock } from '../../core/testing/recording/mockServer.js';
import { readRecording } from '../../core/testing/recording/recordingFile.js';
import type { Recording } from '../../core/testing/recording/recordingModel.js';
import { CliError, usageError } from '../cliError.js';
import { serveClients, servingLog, servingOptions } from '../serveClients.js';
import type { Command } from './command.js';

export const mockCommand: Command = {
  words: '<file>',
  help: 'Serve a recording as a server, to clients of all protocol versions.',
  options: {
    ...servingOptions,
    strict: {
      help: 'Refuse requests with redacted values, and answers of clients that differ from the recorded ones.',
    },
    latency: { help: 'Answer as slowly as the recorded server. Default: at once.' },
  },
  examples: [
    'mcp-deck mock calculator.mcprecording.jsonl',
    'mcp-deck mock calculator.mcprecording.jsonl --transport http --port 3000',
    'mcp-deck mock calculator.mcprecording.jsonl --transport sse --token test',
  ],
  run: async (run) => {
    const { options, output, folder } = run;
    const [file, ...others] = options.words;
    if (file === undefined || others.length > 0) throw usageError('Name exactly one recording. See --help.');
    const recording = await recordingOf(path.resolve(folder, file));
    const server = createMock(recording, {
      isStrict: options.values['strict'] === true,
      hasLatency: options.values['latency'] === true,
      log: servingLog(output),
    });
    await serveClients(server, run);
    server.dispose();
    return 0;
  },
};

/** Reads a recording. A file that cannot be used ends the command with exit code 2. */
export async function recordingOf(file: string): Promise<Recording> {
  try {
    return await readRecording(file);
  } catch (error) {
    if (error instanceof UserError) throw new CliError(2, 'invalid-recording', error.message);
    if (error instanceof HostError) throw new CliError(2, error.code, failureText(error, path.basename(file)).what);
    throw error;
  }
}
