// A stdio server with one tool, `large_form`, with as many arguments as the largest tool found in public servers.
import { createInterface } from 'node:readline';
import { largeSchema } from './largeSchema.mjs';

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'form', version: '1' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'large_form', description: 'Has many arguments.', inputSchema: largeSchema(1) }],
  }),
};

createInterface({ input: process.stdin })
  .on('line', (text) => {
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) return;
    const result = answers[method]?.(params);
    const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  })
  .on('close', () => process.exit(0));
