// `@deck` in VS Code's own chat view, answered through our connections, with a scripted model.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-chat-'));
const script = path.join(folder, 'script.json');
const log = path.join(folder, 'log.jsonl');
writeFileSync(script, '[]');

export const isApart = true;
export const window = {
  workspace: 'sample',
  extensions: ['scripted-model'],
  settings: {
    'mcpDeck.servers': {
      library: { command: 'node', args: [path.join(fixturesRoot, 'servers', 'library.mjs')] },
      results: { command: 'node', args: [path.join(fixturesRoot, 'servers', 'results.mjs')] },
      many: { command: 'node', args: [path.join(fixturesRoot, 'servers', 'manyTools.mjs')] },
      slow: { command: 'node', args: [path.join(fixturesRoot, 'servers', 'progress.mjs'), '5000'], timeoutMs: 2_000 },
    },
    'mcpDeck.rules': ['slow', 'results', 'many'].map((server) => ({ effect: 'allow', server })),
  },
  env: { MCP_DECK_MODEL_SCRIPT: script, MCP_DECK_MODEL_LOG: log },
};

/** The model gives these answers to the next requests. */
const answers = (...turns) => writeFileSync(script, JSON.stringify(turns));

const requests = () =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

export async function run({ workbench, step }) {
  try {
    await step('/tools lists all tools', async () => {
      await workbench.openSidebar('MCP Deck');
      await workbench.tree('Servers').row('workspace').getByText('built-in').waitFor();
      const answer = await workbench.chat.ask('@deck /tools');
      assert.match(answer, /find_files/);
      await workbench.screenshot('chat-tools');
    });

    // The participant remains selected for the next question, so it is not typed again.
    await step('/run runs one tool and shows its result, without the model', async () => {
      const before = requests().length;
      const answer = await workbench.chat.ask('/run workspace.find_files {"pattern":"**/*.md"}');
      assert.match(answer, /docs\/greetings\.md/);
      assert.equal(requests().length, before);
      await workbench.screenshot('chat-run');
    });

    await step('a plain question lets the model use the tools, and each call is shown', async () => {
      writeFileSync(
        script,
        JSON.stringify([
          { text: 'I will look.', toolCalls: [{ name: 'workspace_find_files', input: { pattern: 'src/*.ts' } }] },
          { text: 'There are two TypeScript files.' },
        ]),
      );
      const answer = await workbench.chat.ask('which TypeScript files are there');
      assert.match(answer, /find_files/i);
      assert.match(answer, /two TypeScript files/);
      const last = requests().at(-1);
      assert.match(JSON.stringify(last.messages), /src\/main\.ts/);
      await workbench.screenshot('chat-loop');
    });

    await step(
      '[chat.complete] a call opens its run, and the next question has the calls of the earlier answer',
      async () => {
        await workbench.chat.view.getByRole('link', { name: 'Open Run' }).last().click();
        await workbench.webview().getByText('src/main.ts').first().waitFor();
        await workbench.tree('Runs').row('Find Files').getByText('@deck').first().waitFor();
        answers({ text: 'As I said.' });
        await workbench.chat.ask('and again');
        const sent = JSON.stringify(requests().at(-1).messages);
        assert.match(
          sent,
          /which TypeScript files are there.*"toolCall":"workspace_find_files".*"toolResult".*src\/main\.ts.*two TypeScript files.*and again/,
        );
      },
    );

    await step('[chat.complete] tools that only read run at the same time', async () => {
      const call = (pattern) => ({ name: 'workspace_find_files', input: { pattern } });
      answers({ toolCalls: [call('**/*.ts'), call('**/*.md')] }, { text: 'Both found.' });
      const answer = await workbench.chat.ask('find both');
      assert.match(answer, /Call 1 of 2:[^]*Call 2 of 2:[^]*Both found/);
      assert.match(JSON.stringify(requests().at(-1).messages), /main\.ts[^]*greetings\.md/);
    });

    await step('the servers, their resources and prompts are listed, read and answered', async () => {
      assert.match(await workbench.chat.ask('/servers'), /workspace[^]*5 tools[^]*library[^]*stopped/);
      assert.match(await workbench.chat.ask('/why library'), /The server is stopped/);
      await workbench.runCommandAndPick('MCP Deck: Start Server', 'library');
      await workbench.tree('Servers').row('library').getByText('2 tools').waitFor();
      assert.match(await workbench.chat.ask('/resources welcome'), /library:\/\/guide\/welcome\.md/);
      const read = await workbench.chat.ask('/read library library://guide/welcome.md');
      assert.match(read, /To.the.\*\*library\*\*/);
      await workbench.screenshot('chat-read');
      assert.match(await workbench.chat.ask('/prompts'), /library\.recommend/);
      assert.match(await workbench.chat.ask('/prompt library.recommend'), /These arguments are missing: city/);
      answers({ text: 'Read the rules.' });
      const answer = await workbench.chat.ask('/prompt library.recommend {"city":"Bern"}');
      assert.match(answer, /I.am.in.Bern[^]*Read the rules/);
      assert.match(JSON.stringify(requests().at(-1).messages), /I am in Bern\. What should I read/);
      assert.match(await workbench.chat.ask('/why library.change'), /waits for your approval/);
    });

    await step('[chat.complete] an image of a tool reaches the model', async () => {
      await workbench.runCommandAndPick('MCP Deck: Start Server', 'results');
      await workbench.tree('Servers').row('results').getByText('tools').waitFor();
      answers({ toolCalls: [{ name: 'results_picture' }] }, { text: 'Nice.' });
      await workbench.chat.ask('draw');
      assert.match(JSON.stringify(requests().at(-1).messages), /"data":"image\/png"/);
    });

    await step('[chat.complete] an answer that does not end is canceled at once', async () => {
      answers({ text: 'Let me think.', hang: true });
      const response = await workbench.chat.send('think');
      await response.getByText('Let me think.').waitFor();
      await workbench.page.keyboard.press('Control+Escape');
      await response.and(workbench.page.locator(':not(.chat-response-loading)')).waitFor();
      answers({ text: 'Here again.' });
      assert.match(await workbench.chat.ask('hello'), /Here again/);
    });

    await step(
      'a call that takes longer than its timeout is kept alive by its progress, which the answer shows',
      async () => {
        await workbench.runCommandAndPick('MCP Deck: Start Server', 'slow');
        await workbench.tree('Servers').row('slow').getByText('1 tool').waitFor();
        assert.match(await workbench.chat.ask('/run slow.work {}'), /done/);
        writeFileSync(
          script,
          JSON.stringify([
            { text: 'I will work.', toolCalls: [{ name: 'slow_work', input: {} }] },
            { text: 'It is finished.' },
          ]),
        );
        const answer = await workbench.chat.ask('do the work');
        assert.match(answer, /Still running: \d+ \/ 50 · working/);
        assert.match(answer, /It is finished/);
        assert.match(JSON.stringify(requests().at(-1).messages), /done/);
        await workbench.screenshot('chat-progress');
      },
    );

    await step(
      '[chat.complete] above the limit of the model, it searches for tools and calls what it found',
      async () => {
        await workbench.runCommandAndPick('MCP Deck: Start Server', 'many');
        await workbench.tree('Servers').row('many').getByText('151 tools').waitFor();
        answers(
          { toolCalls: [{ name: 'search_tools', input: { query: 'write an e-mail' } }] },
          { toolCalls: [{ name: 'call_tool', input: { name: 'many_send_mail', arguments: { to: 'Ada' } } }] },
          { text: 'It is sent.' },
        );
        const answer = await workbench.chat.ask('write to Ada');
        assert.match(answer, /Searched for write an e-mail: send_mail[^]*Calling send_mail of many[^]*It is sent/);
        const last = requests().at(-1);
        assert.deepEqual(last.tools, ['search_tools', 'call_tool']);
        assert.match(JSON.stringify(last.messages), /Sends an email message[^]*sent [^]*Ada/);
        await workbench.screenshot('chat-search');
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
