import { gatewayOptions, runGateway } from '../gatewayProgram.js';
import type { Command } from './command.js';

export const gatewayCommand: Command = {
  words: '',
  help: 'Serve all servers of a file at one URL. --stdio uses the standard streams instead.',
  options: gatewayOptions,
  examples: [
    'mcp-deck gateway --config mcp.json',
    'mcp-deck gateway --config mcp.json --port 3000 --token test',
    'mcp-deck gateway --config mcp.json --stdio',
  ],
  run: async ({ options }) => {
    await runGateway(options);
    // The gateway runs until it is ended, and then ends the process.
    return new Promise(() => undefined);
  },
};
