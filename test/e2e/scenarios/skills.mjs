// Skills of servers: their tree items, opening their files, and the error for a file that differs from the listed one.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';

export const isApart = true;
const server = (...args) => ({
  command: process.execPath,
  args: [path.join(fixturesRoot, 'servers', 'skills.mjs'), ...args],
});
export const window = {
  workspace: 'plain',
  settings: {
    'mcpDeck.servers': { docs: server(), bare: server('empty'), broken: server('broken') },
    'mcpDeck.autoStart': 'always',
    'window.menuBarVisibility': 'hidden',
  },
};

export async function run({ workbench, step }) {
  const { page, quickInput } = workbench;
  const servers = workbench.tree('Servers');
  const label = (text) => servers.row(text).getAttribute('aria-label');

  await step('skills appear in the tree with their files, and hidden characters are flagged', async () => {
    await page.setViewportSize({ width: 1400, height: 900 });
    await workbench.openSidebar('MCP Deck');
    await servers.row('docs').getByText(/tools/).waitFor();
    await servers.expand('docs', 'Skills', 'git-workflow');
    await servers.row('scripts/check.sh').waitFor();
    assert.match(await label('hidden'), /3 hidden characters/);
    await workbench.screenshot('skills-tree');
  });

  await step('the tooltip gives the source, and says that a skill grants no permissions', async () => {
    await servers.row('git-workflow').locator('.label-name').first().hover();
    const hover = page.locator('.monaco-hover:visible').first();
    await hover.getByText(/which are not granted to it/).waitFor();
    await workbench.screenshot('skills-tooltip');
    await page.mouse.move(900, 500);
  });

  await step('a click opens SKILL.md, and a click on another file opens that file', async () => {
    await servers.click('git-workflow');
    await workbench.waitForEditor('SKILL.md');
    assert.match(await workbench.editorText(), /Start from/);
    await workbench.screenshot('skills-open');
    await servers.click('references/branches.md');
    await workbench.waitForEditor('branches.md');
  });

  await step('a file that differs from the listed one is not shown, and the reason is given', async () => {
    await servers.click('tampered');
    assert.match(await workbench.notificationText('tampered'), /digest differs/);
    await workbench.screenshot('skills-refused');
  });

  await step('an unlisted skill opens by its address', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Open Skill…', { title: 'Open Skill' });
    await workbench.screenshot('skills-pick');
    await quickInput.pick('Enter Skill URI…');
    await quickInput.waitFor({ placeholder: 'skill://name/SKILL.md' });
    await quickInput.type('skill://on-request/SKILL.md');
    await quickInput.accept();
    await page.locator('.monaco-editor').getByText('You found it.').waitFor();
  });

  await step('an empty list of skills and a failed list are both reported', async () => {
    await servers.click('docs');
    await page.keyboard.press('ArrowLeft');
    await servers.expand('bare');
    await page.locator('[role="treeitem"][aria-label^="Skills"]').last().waitFor();
    await servers.expand('broken');
    await page.locator('[role="treeitem"][aria-label^="Skills, could not be listed"]').waitFor();
    await page.locator('[role="treeitem"][aria-label^="Skills, could not be listed"] .monaco-tl-twistie').click();
    await page.getByText('The shelf fell down').first().waitFor();
    await workbench.screenshot('skills-none');
  });
}
