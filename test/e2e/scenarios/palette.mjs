// The words that people type into the palette lead to the expected command first.
import assert from 'node:assert/strict';

export const window = { workspace: 'plain' };

const wanted = [
  ['start server', 'MCP Deck: Start Server'],
  ['stop server', 'MCP Deck: Stop Server'],
  ['restart server', 'MCP Deck: Restart MCP Server'],
  ['run tool', 'MCP Deck: Run Tool…'],
  ['show history', 'MCP Deck: Show Run History'],
  ['sign in', 'MCP Deck: Sign In…'],
  ['show log', 'MCP Deck: Show Log'],
  ['add server', 'MCP Deck: Add Server…'],
  ['edit server', 'MCP Deck: Edit Server…'],
];

export async function run({ workbench, step }) {
  const { quickInput, page } = workbench;
  await workbench.openSidebar('MCP Deck');
  await workbench.tree('Servers').waitForRows();

  for (const [words, label] of wanted)
    await step(`"${words}" in the palette finds "${label}" first`, async () => {
      await page.keyboard.press('F1');
      await quickInput.type(`>${words}`);
      await quickInput.row(label).first().waitFor();
      const labels = (await quickInput.rows()).map((row) => row.label);
      await quickInput.cancel();
      assert.equal(labels[0], label);
    });
}
