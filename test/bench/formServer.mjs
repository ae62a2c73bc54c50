// A stdio server with one tool, `large_form`, whose arguments are as many as those of the largest tool in the wild.
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
