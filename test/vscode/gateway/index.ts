import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { createServer, Server } from 'node:net';
import path from 'node:path';
import * as vscode from 'vscode';
import { afterAll, afterEach, makeRun, suite, test } from '../runner.js';
import { answerModals, answerPicks, answerWaiting, pressing, pressNotifications } from '../support/dialogs.js';
import type { CopiedEntry } from '../support/gatewayClients.js';
import { copiedEntry, GatewayAgent } from '../support/gatewayClients.js';
import './languageModelTools.js';
import { readToml } from '../../../src/core/config/toml.js';
import { LineClient } from '../support/lineClient.js';
import './vsCodeServers.js';
import { command, deckApi, deckExtension, failureOf, stateOf, textOf, until, WorkspaceFile } from '../support/host.js';

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

/** The tools of an agent that the user has just allowed. Its lists are empty until the approval is stored. */
const toolsOf = (agent: GatewayAgent) =>
  until('the agent has tools', async () => {
    const tools = await agent.ask<{ name: string }[]>('list');
    return tools.length > 0 ? tools : undefined;
  });

async function auditLog(): Promise<string> {
  await command('mcpDeck.showAuditLog');
  return until('the audit log is open', () =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'mcpdeck-consent')?.getText(),
  );
}

/** The file of Codex, in a home that exists for one test. */
function codexFile(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'codex home '));
  const before = process.env['CODEX_HOME'];
  process.env['CODEX_HOME'] = home;
  restores.push(() => {
    if (before === undefined) delete process.env['CODEX_HOME'];
    else process.env['CODEX_HOME'] = before;
    rmSync(home, { recursive: true, force: true });
  });
  return path.join(home, 'config.toml');
}

/** Runs the work while each list picks the line with this label. */
async function picking(label: string, work: () => Promise<void>): Promise<void> {
  const picks = answerPicks((items) => items.find((item) => item.label === label));
  try {
    await work();
  } finally {
    picks.restore();
  }
}

/** Runs the command as a click does, without an argument object. */
async function runConnectAgent(): Promise<void> {
  await vscode.commands.executeCommand('mcpDeck.connectAgent');
}

function untilOpen(document: string): Promise<unknown> {
  return until(`${document} is open`, () =>
    vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.includes(document))),
  );
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

  test('Connect Agent asks one question, writes the entry, starts the gateway, and says what to do next', async () => {
    await command('mcpDeck.stopGateway');
    const file = codexFile();
    await picking('Codex', async () => {
      const dialogs = answerModals(() => 'Learn More');
      try {
        await runConnectAgent();
      } finally {
        dialogs.restore();
      }
      const [question] = dialogs.asked;
      assert.deepEqual(question?.buttons, ['Learn More', 'Connect and Start Gateway']);
      assert.match(
        question.detail,
        /^Until you disconnect it, Codex can then list [^\n]+\n\nThe gateway and the approved servers start [^\n]+\n\n[^\n]+adds the entry "mcp-deck" to [^\n]*config\.toml:\n\n\+ \[mcp_servers\.mcp-deck\]/,
      );
      assert.match(question.detail, /args = \["--agent", "codex"\]$/);
      await untilOpen('agents.md');
      await failureOf(command('mcpDeck.copyGatewayConfiguration'));
      const messages = pressNotifications('showInformationMessage', () => undefined);
      restores.push(() => messages.restore());
      const { asked } = await pressing('Connect and Start Gateway', () => runConnectAgent());
      assert.equal(asked.length, 1);
      await until('the next step is shown', () => messages.messages.length > 0);
      assert.deepEqual(messages.messages, [
        'Start Codex in the folder of this workspace. If it is running, restart it.',
      ]);
    });
    assert.match(readFileSync(file, 'utf8'), /mcp_servers\.mcp-deck/);
    await agreeing('Copy Configuration', 'mcpDeck.copyGatewayConfiguration');
    assert.match(await auditLog(), /gateway[^\n]+started/i);
    const items: vscode.QuickPickItem[] = [];
    const picks = answerPicks((all) => void items.push(...all));
    restores.push(() => picks.restore());
    await runConnectAgent();
    assert.equal(items.find(({ label }) => label === 'Codex')?.description, 'added');
  });

  test('if the gateway cannot start, Connect Agent says that the entry was written, and how to go on', async () => {
    await command('mcpDeck.stopGateway');
    const file = codexFile();
    const servers: { listen: unknown } = Server.prototype;
    const { listen } = servers;
    servers.listen = () => {
      throw new Error('no port for you');
    };
    try {
      const { value: error } = await pressing('Connect and Start Gateway', () =>
        failureOf(command('mcpDeck.connectAgent', { app: 'codex' })),
      );
      assert.match(error.message, /^MCP Deck was added to Codex, but the gateway did not start\. [^]*no port for you/);
    } finally {
      servers.listen = listen;
    }
    assert.match(readFileSync(file, 'utf8'), /mcp_servers\.mcp-deck/);
    assert.match((await failureOf(command('mcpDeck.copyGatewayConfiguration'))).message, /gateway is off/);
  });

  test('[GD1] Connect Agent writes an entry whose program reaches this window without a secret, and removes it again', async () => {
    await command('mcpDeck.stopGateway');
    const file = codexFile();
    const written = '# mine\nmodel = "m"\n';
    writeFileSync(file, written);
    await failureOf(pressing('Keep as It Is', () => command('mcpDeck.connectAgent', { app: 'codex' })));
    assert.equal(readFileSync(file, 'utf8'), written);
    const { asked } = await pressing('Connect and Start Gateway', () =>
      command('mcpDeck.connectAgent', { app: 'codex' }),
    );
    assert.equal(asked[0]?.message, 'Connect Codex to MCP Deck?');
    assert.match(
      asked[0]?.detail ?? '',
      /\+ \[mcp_servers\.mcp-deck\]\n\+ command = [^]*A command with arguments requested/,
    );
    const text = readFileSync(file, 'utf8');
    const entry = readToml(text)['mcp_servers'] as { 'mcp-deck': { command: string; args?: string[] } };
    const { token } = await started().then(({ headers }) => ({ token: headers.Authorization.replace('Bearer ', '') }));
    assert.ok(text.startsWith(written) && !text.includes(token));
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const { command: program, args = [] } = entry['mcp-deck'];
    const door = new LineClient(program, args, folder);
    restores.push(() => door.end());
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'codex-cli', version: '1' },
    };
    await door.ask('initialize', initialize);
    door.tell('notifications/initialized');
    // The question of Connect Agent also approved the first client of the entry.
    assert.match(JSON.stringify(await door.ask('tools/list')), /"count"/);
    const other = new LineClient(program, args, folder);
    restores.push(() => other.end());
    await other.ask('initialize', { ...initialize, clientInfo: { name: 'another program', version: '1' } });
    other.tell('notifications/initialized');
    assert.match(await answerWaiting('Deny'), /^Let the agent "another program"/);
    other.end();
    await command('mcpDeck.forgetAgent', { agent: 'another program' });
    const call = door.ask('tools/call', { name: 'count', arguments: {} });
    await answerWaiting('Allow Once');
    assert.match(JSON.stringify(await call), /"text":"\d+"/);
    // The client keeps its lists while the gateway is off, and continues when it is on again.
    await command('mcpDeck.stopGateway');
    await until('the gateway is gone', async () =>
      JSON.stringify(await door.ask('tools/call', { name: 'name', arguments: {} })).includes(
        'Open this folder in VS Code',
      ),
    );
    assert.match(JSON.stringify(await door.ask('tools/list')), /"count"/);
    await started();
    await until(
      'the gateway is back',
      async () => !JSON.stringify(await door.ask('resources/read', { uri: 'a://b' })).includes('Open this folder'),
    );
    await pressing('Disconnect', () => command('mcpDeck.connectAgent', { app: 'codex', disconnect: true }));
    assert.equal(readFileSync(file, 'utf8').trimEnd(), written.trimEnd());
    // The agent still runs. It gets nothing more, and the user is not asked about it.
    const refused = await until('the agent is refused', async () => {
      const answer = JSON.stringify(await door.ask('tools/list'));
      return answer.includes('does not let \\"codex-cli\\"') ? answer : undefined;
    });
    assert.doesNotMatch(refused, /"count"/);
    assert.match((await failureOf(command('mcpDeck.answerRequest'))).message, /waiting for an answer/);
    door.end();
    await command('mcpDeck.forgetAgent', { agent: 'codex-cli' });
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
