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
      slow: { command: 'node', args: [path.join(fixturesRoot, 'servers', 'progress.mjs'), '5000'], timeoutMs: 2_000 },
    },
    'mcpDeck.rules': [{ effect: 'allow', server: 'slow' }],
  },
  env: { MCP_DECK_MODEL_SCRIPT: script, MCP_DECK_MODEL_LOG: log },
};

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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
