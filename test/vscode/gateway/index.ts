import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, makeRun, suite, test } from '../runner.js';
import { answerModals, pressing } from '../support/dialogs.js';
import type { CopiedEntry } from '../support/gatewayClients.js';
import { copiedEntry, GatewayAgent } from '../support/gatewayClients.js';
import { command, deckApi, failureOf, textOf, until } from '../support/host.js';

const agents: GatewayAgent[] = [];
const restores: (() => void)[] = [];

/** Runs a command of the user, who agrees to its question. */
const agreeing = (button: string, id: string) => pressing(button, () => command(id));

async function connect(
  entry: CopiedEntry,
  era: 'legacy' | 'modern',
  name: string,
  ...more: string[]
): Promise<GatewayAgent> {
  const agent = await GatewayAgent.connect(entry, era, name, ...more);
  agents.push(agent);
  return agent;
}

/** Answers the only waiting request, as soon as there is one, and presses a button of its dialog. */
async function answerWaiting(button: string): Promise<string> {
  const dialogs = answerModals(() => button);
  try {
    await until('a request is answered', () =>
      command('mcpDeck.answerRequest').then(
        () => dialogs.asked.length > 0,
        ({ message }: Error) => message === 'Canceled' && dialogs.asked.length > 0,
      ),
    );
  } finally {
    dialogs.restore();
  }
  const [question] = dialogs.asked;
  return `${question?.message ?? ''}\n${question?.detail ?? ''}`;
}

async function started(): Promise<CopiedEntry> {
  await agreeing('Start Gateway', 'mcpDeck.startGateway');
  await agreeing('Copy Configuration', 'mcpDeck.copyGatewayConfiguration');
  return copiedEntry();
}

suite('the gateway in the window', () => {
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.end();
    for (const restore of restores.splice(0)) restore();
  });
  afterAll(() => command('mcpDeck.stopGateway'));

  for (const era of ['legacy', 'modern'] as const)
    test(`[GW10] a new ${era} agent is approved once, lists and calls tools, and the call is in Runs with its name`, async () => {
      const entry = await started();
      const agent = await connect(entry, era, 'claude-code');
      const listing = agent.ask<{ name: string }[]>('list');
      if (era === 'legacy') {
        const question = await answerWaiting('Allow');
        assert.match(question, /^Let the agent "claude-code" use your MCP servers\?/);
        assert.match(question, /cannot verify the name/);
      }
      const names = (await listing).map(({ name }) => name);
      assert.ok(names.includes('count'), names.join());
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const result = await agent.ask('call', { name: 'count', arguments: {}, _meta: { traceparent } });
      assert.match(textOf(result), /^\d+$/);
      assert.match(await (await deckApi()).drawRuns(), /count {2}counting · claude-code/);
    });

  test('[GW10] an agent that the user refuses can list and call nothing', async () => {
    const entry = await started();
    const agent = await connect(entry, 'legacy', 'stranger');
    const listing = failureOf(agent.ask('list'));
    await answerWaiting('Deny');
    assert.match((await listing).message, /does not let "stranger" use MCP Deck/);
    for (const [method, params] of [
      ['call', { name: 'count', arguments: {} }],
      ['read', { uri: 'counting://live' }],
      ['prompts', {}],
      ['resources', {}],
    ] as const)
      assert.match((await failureOf(agent.ask(method, params))).message, /does not let "stranger"/, method);
    await command('mcpDeck.forgetAgent', { agent: 'stranger' });
  });

  test('the gateway is off, and its code is not loaded, until the user starts it', async () => {
    await command('mcpDeck.stopGateway');
    await vscode.env.clipboard.writeText('nothing');
    assert.match((await failureOf(command('mcpDeck.copyGatewayConfiguration'))).message, /gateway is off/);
    assert.equal(await vscode.env.clipboard.readText(), 'nothing');
    const { asked } = await pressing('Keep as It Is', () => failureOf(command('mcpDeck.startGateway')));
    assert.equal(asked[0]?.message, 'Start the gateway in this window?');
  });
});

export const run = makeRun();
