// A stdio server of 2025-11-25 whose tool `flood` sends a given number of notifications per second for a given time,
// then answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { readMessages } from '../fixtures/servers/readMessages.mjs';

const line = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const number = { type: 'number' };
const tools = [
  {
    name: 'flood',
    inputSchema: {
      type: 'object',
      properties: { perSecond: number, seconds: number },
      required: ['perSecond', 'seconds'],
    },
  },
];
const message = 'x'.repeat(300);
const tickMs = 10;

/**
 * Sends the notifications that are due every few milliseconds, so the average rate is right even if a timer is late.
 */
async function flood({ perSecond, seconds }) {
  const count = perSecond * seconds;
  const began = performance.now();
  for (let sent = 0; sent < count; await sleep(tickMs)) {
    const due = Math.min(count, Math.floor(((performance.now() - began) / 1_000) * perSecond));
    let chunk = '';
    for (; sent < due; sent++)
      chunk += `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'flood', progress: sent, message } })}\n`;
    if (chunk !== '') process.stdout.write(chunk);
  }
  return { content: [{ type: 'text', text: String(count) }] };
}

readMessages(async ({ id, method, params }) => {
  if (id === undefined) return;
  if (method === 'initialize')
    line({
      id,
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'flood', version: '1' },
      },
    });
  else if (method === 'tools/list') line({ id, result: { tools } });
  else if (method === 'tools/call') line({ id, result: await flood(params.arguments) });
  else if (method === 'ping') line({ id, result: {} });
  else line({ id, error: { code: -32601, message: `There is no method ${method}.` } });
});
