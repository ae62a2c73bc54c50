/** "Connect Agent…": the entry of an app, and the program that the entry starts. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { readToml } from '../../../src/core/config/toml.js';
import { afterAll, afterEach, suite, test } from '../runner.js';
import { answerModals, answerPicks, answerWaiting, pressing, pressNotifications } from '../support/dialogs.js';
import { command, failureOf, until } from '../support/host.js';
import { LineClient } from '../support/lineClient.js';
import { agreeing, auditLog, started, untilOpen } from './startedGateway.js';

const restores: (() => void)[] = [];

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

suite('agents that are connected to the gateway', () => {
  afterEach(() => {
    for (const restore of restores.splice(0)) restore();
  });
  afterAll(() => command('mcpDeck.stopGateway'));

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

  test('the message of Connect Agent starts the agent in a terminal', async () => {
    await command('mcpDeck.stopGateway');
    codexFile();
    const messages = pressNotifications('showInformationMessage', (_message, buttons) =>
      buttons.find((button) => button === 'Start in Terminal'),
    );
    restores.push(() => messages.restore());
    const sent: string[] = [];
    const { createTerminal } = vscode.window;
    restores.push(() => (vscode.window.createTerminal = createTerminal));
    vscode.window.createTerminal = (({ name }: vscode.TerminalOptions) => ({
      show: () => sent.push(`${name} is shown`),
      sendText: (text: string) => sent.push(text),
    })) as unknown as typeof createTerminal;
    await picking('Codex', async () => void (await pressing('Connect and Start Gateway', () => runConnectAgent())));
    await until('the agent is started', () => sent.length > 1);
    assert.deepEqual(sent, ['Codex is shown', 'codex']);
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
});
