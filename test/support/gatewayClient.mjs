// A client of the gateway, built with the official SDKs:
//   node test/support/gatewayClient.mjs <url> <token> <legacy | modern> <name> [elicitation]
// Reads one request per line, {"id": …, "method": …, "params": …}, and prints one line for each: {"id": …, "result": …} or
// {"id": …, "error": …}. Prints {"ready": true} after the handshake. With "elicitation", it answers forms with "from the client".
import readline from 'node:readline';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [url, token, era, name, ...more] = process.argv.slice(2);
const info = { name, version: '1.2.3' };
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
const capabilities = more.includes('elicitation') ? { elicitation: { form: {} } } : {};
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const answer = () => ({ action: 'accept', content: { text: 'from the client', name: 'from the client' } });

async function connect() {
  if (era === 'legacy') {
    const client = new Client(info, { capabilities });
    if (capabilities.elicitation) client.setRequestHandler(ElicitRequestSchema, answer);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  }
  const client = new ModernClient(info, { capabilities, versionNegotiation: { mode: 'auto' } });
  if (capabilities.elicitation) client.setRequestHandler('elicitation/create', answer);
  await client.connect(new ModernTransport(new URL(url), { requestInit }));
  return client;
}

const progressed = [];
const methods = {
  list: (client) => client.listTools().then(({ tools }) => tools),
  call: (client, params) =>
    client.callTool(params, ...(era === 'legacy' ? [undefined] : []), {
      onprogress: (progress) => progressed.push(progress),
    }),
  read: (client, params) => client.readResource(params),
  prompts: (client) => client.listPrompts().then(({ prompts }) => prompts),
  resources: (client) => client.listResources().then(({ resources }) => resources),
  progressed: () => progressed,
};

const client = await connect().catch((error) => {
  say({ failed: error.message });
  process.exit(1);
});
say({ ready: true });
const lines = readline.createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  Promise.resolve(methods[method](client, params)).then(
    (result) => say({ id, result }),
    (error) => say({ id, error: { message: error.message, code: error.code } }),
  );
});
lines.on('close', () => process.exit(0));
