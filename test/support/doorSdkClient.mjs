// A client of one of the official SDKs that starts a program as its server, and prints what it receives:
//   node doorSdkClient.mjs <legacy|modern> <folder> <program> [argument…]
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [era, cwd, command, ...args] = process.argv.slice(2);
const info = { name: `sdk-${era}`, version: '1' };
const isLegacy = era === 'legacy';
const client = isLegacy ? new Client(info) : new ModernClient(info, { versionNegotiation: { mode: 'auto' } });
await client.connect(
  new (isLegacy ? StdioClientTransport : ModernTransport)({ command, args, cwd, stderr: 'inherit' }),
);
const { tools } = await client.listTools();
const result = await client.callTool({ name: 'name', arguments: {} });
process.stdout.write(`${JSON.stringify({ tools: tools.map(({ name }) => name), result })}\n`);
await client.close();
