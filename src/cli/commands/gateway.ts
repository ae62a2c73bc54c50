import { runGateway } from '../gatewayProgram.js';
import { usageError } from '../cliError.js';
import { optionText } from '../options.js';
import type { Command } from './command.js';

export const gatewayCommand: Command = {
  words: '',
  help: 'Serve all servers of a file at one address. --stdio uses the standard streams.',
  options: {
    config: { value: 'FILE', help: 'The file with the servers, such as mcp.json. Required.' },
    port: { value: 'N', help: 'The port. Default: any free port.' },
    token: { value: 'TEXT', help: 'The bearer token that clients need. Default: a random one.' },
    'state-seconds': { value: 'N', help: 'Time to answer a question, for clients of 2026-07-28. Default: 600.' },
    stdio: { help: 'Serve one client on the standard streams instead of HTTP.' },
  },
  examples: [
    'mcp-deck gateway --config mcp.json',
    'mcp-deck gateway --config mcp.json --port 3000 --token test',
    'mcp-deck gateway --config mcp.json --stdio',
  ],
  run: async ({ options, output }) => {
    if (options.words.length > 0) throw usageError('This command needs no words. Name the file with --config.');
    await runGateway({
      config: optionText(options, 'config'),
      port: optionText(options, 'port'),
      token: optionText(options, 'token'),
      'state-seconds': optionText(options, 'state-seconds'),
      stdio: options.values['stdio'] === true,
      verbose: output.isVerbose,
    });
    // The gateway runs until it is ended, and then exits itself.
    return new Promise(() => undefined);
  },
};
