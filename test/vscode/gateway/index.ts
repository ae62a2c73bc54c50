import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, makeRun, suite, test } from '../runner.js';
import { answerModals, answerWaiting, pressing } from '../support/dialogs.js';
import type { CopiedEntry } from '../support/gatewayClients.js';
import { copiedEntry, GatewayAgent } from '../support/gatewayClients.js';
import './connectAgent.js';
import './languageModelTools.js';
import { auditLog, started, untilOpen } from './startedGateway.js';
import './vsCodeServers.js';
import { command, deckApi, deckExtension, failureOf, stateOf, textOf, until, WorkspaceFile } from '../support/host.js';

const agents: GatewayAgent[] = [];
const restores: (() => void)[] = [];

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

/** The tools of an agent that the user has just allowed. Its lists are empty until the approval is stored. */
const toolsOf = (agent: GatewayAgent) =>
  until('the agent has tools', async () => {
    const tools = await agent.ask<{ name: string }[]>('list');
    return tools.length > 0 ? tools : undefined;
  });

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
      if (era === 'legacy') {
        const question = await answerWaiting('Allow');
        assert.match(question, /^Let the agent "claude-code" use your MCP servers\?/);
        assert.match(question, /cannot verify its name/);
      }
      const names = (await toolsOf(agent)).map(({ name }) => name);
      assert.ok(names.includes('count'), names.join());
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const result = await agent.ask('call', { name: 'count', arguments: {}, _meta: { traceparent } });
      assert.match(textOf(result), /^\d+$/);
      assert.match(await (await deckApi()).drawRuns(), /count {2}counting · claude-code/);
    });

  test('[GW10] after "Allow", a message names the servers that need approval, and its button reviews them', async () => {
    const file = new WorkspaceFile('.vscode/mcp.json');
    const script = path.join(process.env['MCP_DECK_REPO'] ?? '', 'test', 'fixtures', 'servers', 'counting.mjs');
    const brought = { command: 'node', args: [script, 'brought'] };
    await command('mcpDeck.stopGateway');
    await file.write({ servers: { first: brought, second: brought } });
    const warnings: string[] = [];
    const dialogs = answerModals(
      ({ message }) => (message.startsWith('Let the agent') ? 'Allow' : 'Start Server'),
      ({ message }) => {
        warnings.push(message);
        return message.includes('your approval') ? 'Review…' : undefined;
      },
    );
    try {
      await until('the servers are listed', async () => (await stateOf('second')) === 'stopped');
      const agent = await connect(await started(), 'legacy', 'newcomer');
      await until('the agent is allowed', () =>
        command('mcpDeck.answerRequest').then(
          () => dialogs.asked.length > 0,
          () => false,
        ),
      );
      await until('both servers run', async () =>
        (await Promise.all(['first', 'second'].map(stateOf))).every((state) => state === 'running'),
      );
      assert.ok(warnings.includes('"newcomer" is connected. 2 servers need your approval: first, second'));
      const names = (await toolsOf(agent)).map(({ name }) => name);
      assert.ok(
        names.some((name) => name.startsWith('first') || name.startsWith('second')),
        names.join(),
      );
    } finally {
      dialogs.restore();
      await file.restore();
      await command('mcpDeck.forgetAgent', { agent: 'newcomer' });
    }
  });

  test('[GW10] an agent that the user refuses can list and call nothing', async () => {
    const entry = await started();
    const agent = await connect(entry, 'legacy', 'stranger');
    await answerWaiting('Deny');
    const failure = await until('the agent is refused', () =>
      agent.ask('list').then(
        () => undefined,
        (error: Error) => error,
      ),
    );
    assert.match(failure.message, /does not let "stranger" use MCP Deck/);
    for (const [method, params] of [
      ['call', { name: 'count', arguments: {} }],
      ['read', { uri: 'counting://live' }],
      ['prompts', {}],
      ['resources', {}],
    ] as const)
      assert.match((await failureOf(agent.ask(method, params))).message, /does not let "stranger"/, method);
    await command('mcpDeck.forgetAgent', { agent: 'stranger' });
  });

  for (const era of ['legacy', 'modern'] as const)
    test(`[GW11] a ${era} agent needs an answer in Requests, which names it; rules for other agents do not apply`, async () => {
      const entry = await started();
      const agent = await connect(entry, era, 'codex');
      const call = agent.ask('call', { name: 'count', arguments: {} });
      if (era === 'legacy') assert.match(await answerWaiting('Allow'), /^Let the agent "codex"/);
      const question = await answerWaiting('Allow Once');
      assert.match(question, /^Call the tool "count" of the server "counting"\?/);
      assert.match(question, /It calls itself "codex"\. MCP Deck cannot verify the name/);
      assert.match(textOf(await call), /^\d+$/);
      const denied = failureOf(agent.ask('call', { name: 'count', arguments: {} }));
      await answerWaiting('Deny');
      assert.match((await denied).message, /The user denied the call of "count"/);
      await command('mcpDeck.disableTool', { server: 'counting', tool: 'touch' });
      assert.ok(!(await agent.ask<{ name: string }[]>('list')).some(({ name }) => name === 'touch'));
      assert.match((await failureOf(agent.ask('call', { name: 'touch', arguments: {} }))).message, /no tool "touch"/);
      const log = await auditLog();
      assert.match(log, /ran +counting \/ count · for the agent "codex" · your answer/);
      assert.match(log, /refused +counting \/ count · for the agent "codex" · your answer/);
    });

  for (const era of ['legacy', 'modern'] as const)
    test(`a form of a server goes to a ${era} agent that supports forms, otherwise to Requests with the name of the agent`, async () => {
      const entry = await started();
      const able = await connect(entry, era, 'claude-code', 'elicitation');
      assert.match(textOf(await able.ask('call', { name: 'ask', arguments: {} })), /from the client/);
      const silent = await connect(entry, era, 'claude-code');
      const call = silent.ask('call', { name: 'ask', arguments: {} });
      await until('the form is declined', () =>
        command('mcpDeck.declineRequest').then(
          () => true,
          () => false,
        ),
      );
      assert.match(textOf(await call), /"action":"decline"/);
      // The client did not time out, because it was told that the user is asked.
      const progressed = await silent.ask<{ message?: string }[]>('progressed');
      assert.ok(progressed.some(({ message }) => message === 'Waiting for an answer in VS Code'));
    });

  test('[GW11] a changed tool is in quarantine for agents, too', async () => {
    const entry = await started();
    const agent = await connect(entry, 'legacy', 'codex');
    const names = async () => (await agent.ask<{ name: string }[]>('list')).map(({ name }) => name);
    await until('the tools are listed', async () => (await names()).includes('lookup'));
    const deck = await deckApi();
    await deck.runTool({ server: 'changing', tool: 'lookup', arguments: { word: 'a' } });
    await deck.runTool({ server: 'changing', tool: 'turn' });
    await until('the changed tool is gone', async () => !(await names()).includes('lookup'));
    assert.match(
      (await failureOf(agent.ask('call', { name: 'lookup', arguments: { word: 'a' } }))).message,
      /There is no tool "lookup"/,
    );
  });

  test('[GW11] a preset in the URL narrows the tools and needs an approval of its own; an edit that adds asks again', async () => {
    const file = new WorkspaceFile('.vscode/mcp-deck.json');
    restores.push(() => void file.restore());
    await file.write({ presets: { review: { servers: ['counting'], tools: { counting: ['count'] } } } });
    const entry = await started();
    const narrowed = { ...entry, url: `${entry.url}?preset=review` };
    const agent = await connect(narrowed, 'legacy', 'claude-code');
    const names = async () => (await toolsOf(agent)).map(({ name }) => name);
    assert.match(await answerWaiting('Allow'), /the preset "review"[^]*"counting": only "count"/);
    assert.deepEqual(await names(), ['count']);
    await file.write({ presets: { review: { servers: ['counting'], tools: { counting: ['count', 'name'] } } } });
    await until('the edit is noticed', async () => (await agent.ask<unknown[]>('list')).length === 0);
    await answerWaiting('Allow');
    assert.deepEqual(await names(), ['count', 'name']);
  });

  test('[GW11] a workspace can hide tools from agents, but its names and descriptions need an approval', async () => {
    const file = new WorkspaceFile('.vscode/mcp-deck.json');
    restores.push(() => void file.restore());
    const entry = await started();
    const agent = await connect(entry, 'modern', 'claude-code');
    const names = async () => (await agent.ask<{ name: string }[]>('list')).map(({ name }) => name);
    await until('the tools are listed', async () => (await names()).includes('die'));
    await file.write({ gateway: { tools: { counting: { name: { hide: true }, die: { name: 'live' } } } } });
    await until('the tool is hidden', async () => !(await names()).includes('name'));
    assert.ok((await names()).includes('die') && !(await names()).includes('live'));
    const { asked } = await pressing('Show Texts to Agents', () => command('mcpDeck.reviewAgentTexts'));
    assert.match(asked[0]?.detail ?? '', /"die" of "counting": name "live"/);
    await until('the name is used', async () => (await names()).includes('live'));
  });

  test("VS Code's own agent gets the gateway with its token, and is approved and asked like other agents", async () => {
    const settings = vscode.workspace.getConfiguration();
    const offer = (value: 'gateway' | undefined) =>
      settings.update('mcpDeck.vsCodeAgent', value, vscode.ConfigurationTarget.Global);
    const toolOf = () => vscode.lm.tools.find(({ name }) => /mcp.*_count$/.test(name));
    await started();
    assert.equal(toolOf(), undefined);
    await offer('gateway');
    restores.push(() => void offer(undefined));
    const connecting = until("VS Code's agent has the tools", async () => {
      await vscode.commands.executeCommand('workbench.mcp.startServer', `${deckExtension().id.toLowerCase()}/MCP Deck`);
      return toolOf();
    });
    assert.ok((await answerWaiting('Allow')).startsWith(`Let the agent "${vscode.env.appName}" use`));
    const tool = await connecting;
    const call = vscode.lm.invokeTool(tool.name, { input: {}, toolInvocationToken: undefined });
    assert.match(await answerWaiting('Allow Once'), /^Call the tool "count" of the server "counting"\?/);
    const { content } = await call;
    assert.match((content[0] as vscode.LanguageModelTextPart).value, /^\d+$/);
    await offer(undefined);
    await until('the gateway is withdrawn', () => toolOf() === undefined);
  });

  test('[C20] a program that presses the button of the notification about the gateway gets no token', async () => {
    await command('mcpDeck.stopGateway');
    await vscode.env.clipboard.writeText('nothing');
    const { asked } = await pressing('Start Gateway', async () => {
      await command('mcpDeck.startGateway');
      // The question about the token is closed, as the button has another title.
      const questions = answerModals(() => undefined);
      try {
        await until('the button asks', async () => {
          await vscode.commands.executeCommand('notification.acceptPrimaryAction');
          return questions.asked.some(({ message }) => /token of the gateway/.test(message));
        });
      } finally {
        questions.restore();
      }
    });
    assert.equal(asked.length, 1);
    assert.equal(await vscode.env.clipboard.readText(), 'nothing');
  });

  test('[GW17] if another program has the port, the gateway gets a new token, and a message says so', async () => {
    const entry = await started();
    await command('mcpDeck.stopGateway');
    const other = createServer().listen(Number(new URL(entry.url).port), '127.0.0.1');
    await once(other, 'listening');
    restores.push(() => void other.close());
    const messages: string[] = [];
    const fresh = await pressing('Copy Configuration', async () => {
      const { asked } = await pressing('Start Gateway', async () => {
        const shown = vscode.window.showWarningMessage;
        vscode.window.showWarningMessage = ((message: string, ...rest: never[]) => {
          messages.push(message);
          return shown(message, ...rest);
        }) as typeof shown;
        return command('mcpDeck.startGateway');
      });
      assert.equal(asked.length, 1);
      await command('mcpDeck.copyGatewayConfiguration');
      return copiedEntry();
    });
    assert.ok(messages.some((message) => message.startsWith(`Another program uses port ${new URL(entry.url).port}`)));
    assert.notEqual(fresh.value.url, entry.url);
    assert.notEqual(fresh.value.headers.Authorization, entry.headers.Authorization);
  });

  test('the token is needed, and replacing it disconnects the agents', async () => {
    const entry = await started();
    const { status } = await fetch(entry.url, { method: 'POST', headers: { Authorization: 'Bearer wrong' } });
    assert.equal(status, 401);
    await command('mcpDeck.rotateGatewayToken');
    await failureOf(GatewayAgent.connect(entry, 'legacy', 'claude-code'));
    const fresh = await started();
    assert.equal(fresh.url, entry.url);
    assert.notEqual(fresh.headers.Authorization, entry.headers.Authorization);
    await connect(fresh, 'legacy', 'claude-code');
  });

  test('[GW10] "Reset Approvals" forgets the approvals of agents', async () => {
    const entry = await started();
    const agent = await connect(entry, 'modern', 'approved before the reset');
    await answerWaiting('Allow');
    await toolsOf(agent);
    await pressing('Reset Approvals', () => command('mcpDeck.resetApprovals'));
    const second = agent.ask('list');
    await answerWaiting('Allow');
    await second;
    await toolsOf(agent);
    await command('mcpDeck.forgetAgent', { agent: 'approved before the reset' });
  });

  test('the gateway is off, and its code is not loaded, until the user starts it', async () => {
    await command('mcpDeck.stopGateway');
    await vscode.env.clipboard.writeText('nothing');
    assert.match((await failureOf(command('mcpDeck.copyGatewayConfiguration'))).message, /gateway is off/);
    assert.equal(await vscode.env.clipboard.readText(), 'nothing');
    const { asked } = await pressing('Cancel', () => failureOf(command('mcpDeck.startGateway')));
    assert.deepEqual(
      [asked[0]?.message, asked[0]?.buttons],
      ['Start the gateway in this window?', ['Learn More', 'Start Gateway']],
    );
  });

  test('the first button of a question, which Enter presses, opens the documentation and changes nothing', async () => {
    await pressing('Learn More', () => failureOf(command('mcpDeck.startGateway')));
    await untilOpen('agents.md');
    assert.match((await failureOf(command('mcpDeck.copyGatewayConfiguration'))).message, /gateway is off/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});

export const run = makeRun();
