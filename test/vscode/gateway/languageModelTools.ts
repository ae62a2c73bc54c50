/** The language model tools of MCP Deck, called as VS Code's own agent calls them. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerWaiting } from '../support/dialogs.js';
import { command, deckApi, failureOf, until, untilState } from '../support/host.js';

const settings = () => vscode.workspace.getConfiguration();
const set = (key: string, value: unknown) => settings().update(key, value, vscode.ConfigurationTarget.Global);
const restores: (() => unknown)[] = [];

type Part = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart;

async function invoke(name: string, input: object, token?: vscode.CancellationToken): Promise<Part[]> {
  const { content } = await vscode.lm.invokeTool(`mcpDeck_${name}`, { input, toolInvocationToken: undefined }, token);
  return content as Part[];
}

const textOf = (parts: readonly Part[]) =>
  parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : `[${part.mimeType}]`)).join('\n');

const call = (name: string, values: object = {}, token?: vscode.CancellationToken) =>
  invoke('callTool', { name, arguments: values }, token);

async function runs(): Promise<string> {
  return (await deckApi()).drawRuns();
}

const rulesFor = (...rules: object[]) => set('mcpDeck.rules', rules);
const allowAll = { effect: 'allow', server: '*', callers: ['agent'], clients: [vscode.env.appName] };

suite("the language model tools for VS Code's own agent", () => {
  beforeAll(async () => {
    const before = settings().inspect('mcpDeck.rules')?.globalValue;
    restores.push(() => set('mcpDeck.rules', before));
    await command('mcpDeck.startServer', { server: 'counting' });
    await command('mcpDeck.startServer', { server: 'results' });
    await command('mcpDeck.startServer', { server: 'heard' });
  });
  afterEach(() => rulesFor(allowAll));
  afterAll(async () => {
    await set('mcpDeck.vsCodeAgent', undefined);
    for (const restore of restores.splice(0)) await restore();
  });

  test('[LM1] are off by default, and refuse calls', async () => {
    assert.match((await failureOf(invoke('listServers', {}))).message, /turned off the tools of MCP Deck/);
    await set('mcpDeck.vsCodeAgent', 'tools');
  });

  test('[LM1] find tools with their schemas, list servers, and call a tool; the call is in Runs', async () => {
    await rulesFor(allowAll);
    const found = JSON.parse(textOf(await invoke('searchTools', { query: 'count' }))) as { name: string }[];
    assert.ok(found.some(({ name }) => name === 'count'));
    assert.match(textOf(await invoke('listServers', {})), /"name":"counting","state":"running","tools":8/);
    assert.match(textOf(await call('count')), /^\d+$/);
    assert.match(await runs(), new RegExp(`count {2}counting · ${vscode.env.appName}`));
  });

  test('[LM2] a rule that denies refuses the call, and a rule that asks asks once, in Requests', async () => {
    await rulesFor(allowAll, { effect: 'deny', tool: 'touch' }, { effect: 'ask', tool: 'count' });
    assert.match((await failureOf(call('touch'))).message, /A rule denies the call to "touch"/);
    const calling = call('count');
    assert.equal((await answerWaiting('Allow Once')).split('\n')[0], 'Call the tool "count" of the server "counting"?');
    assert.match(textOf(await calling), /^\d+$/);
    const denied = failureOf(call('count'));
    await answerWaiting('Deny');
    assert.match((await denied).message, /^The user denied the call to "count"/);
  });

  test('[LM2] disabled tools are not found, and unknown names name the nearest tool', async () => {
    await command('mcpDeck.disableTool', { server: 'counting', tool: 'process' });
    assert.match((await failureOf(call('process'))).message, /There is no tool "process"/);
    assert.match((await failureOf(call('coumt'))).message, /There is no tool "coumt"\. Did you mean "count"\?/);
  });

  test('[LM3] images, links and embedded resources are kept, and a link can be read', async () => {
    const picture = await call('picture');
    const image = picture.find((part) => part instanceof vscode.LanguageModelDataPart);
    assert.equal(image?.mimeType, 'image/png');
    assert.deepEqual([...(image?.data.slice(1, 4) ?? [])], [...Buffer.from('PNG')]);
    const links = textOf(await call('links'));
    assert.match(links, /"type":"resource_link","uri":"demo:\/\/readme"/);
    assert.match(links, /"port":8080/);
    assert.match(textOf(await call('error')), /^The tool reported an error:\nThe city "Atlantis"/);
    // [L2] The user does not see hidden characters, so the model gets them as escapes.
    assert.match(textOf(await call('broken')), /zero\\u\{200b\}width/);
    const listed = JSON.parse(textOf(await invoke('listResources', { server: 'counting' }))) as {
      resources: { uri: string }[];
    };
    assert.deepEqual(
      listed.resources.map(({ uri }) => uri),
      ['counting://live'],
    );
    assert.match(textOf(await invoke('readResource', { uri: 'counting://live' })), /counting:\/\/live/);
    assert.match((await failureOf(invoke('readResource', { uri: 'none://x' }))).message, /no resource "none:\/\/x"/);
  });

  test('[LM4] a canceled call ends here and at the server, and Runs shows it as canceled', async () => {
    const source = new vscode.CancellationTokenSource();
    const calling = failureOf(call('wait', {}, source.token));
    const heard = async (what: string) => textOf(await call('heard')).includes(what);
    await until('the call is at the server', () => heard('call:wait'));
    source.cancel();
    assert.match((await calling).message, /Cancell?ed/);
    await until('the server is told', () => heard('notifications/cancelled'));
    assert.match(await runs(), /wait {2}heard[^\n]*cancell?ed/i);
  });

  test('[LM2] a call that no rule decides is asked about once, by VS Code, and an automatic confirmation skips no rule', async () => {
    await vscode.commands.executeCommand('setContext', 'vscode.chat.tools.global.autoApprove.testMode', true);
    await set('chat.tools.global.autoApprove', true);
    restores.push(() => set('chat.tools.global.autoApprove', undefined));
    await rulesFor();
    assert.match(textOf(await call('name')), /^one$/);
    await rulesFor({ effect: 'ask', tool: 'name' });
    const calling = call('name');
    assert.match(await answerWaiting('Allow Once'), /^Call the tool "name"/);
    assert.match(textOf(await calling), /^one$/);
  });

  test('[policy.start] a setting that allows no server stops the servers and names itself', async () => {
    await set('chat.mcp.access', 'none');
    restores.push(() => set('chat.mcp.access', undefined));
    await untilState('counting', 'stopped');
    const { message } = await failureOf(command('mcpDeck.startServer', { server: 'counting' }));
    assert.match(message, /"counting" is blocked by a setting\. "chat\.mcp\.access" allows no MCP server/);
    assert.match((await failureOf(call('count'))).message, /There is no tool "count"/);
    await set('chat.mcp.access', undefined);
    await command('mcpDeck.startServer', { server: 'counting' });
  });
});
