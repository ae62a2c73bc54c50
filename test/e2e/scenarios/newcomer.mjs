// The first minute of a new user without reading or configuring anything: from the icon to a file that a tool found.
import assert from 'node:assert/strict';
import { axeViolations } from '../axe.mjs';

export const window = { workspace: 'plain' };

/** Maximum number of clicks; typing does not count. */
const maxClicks = 4;

export async function run({ workbench, step }) {
  const servers = workbench.tree('Servers');
  const page = workbench.webview();
  const editor = (name) =>
    workbench.page.getByRole('tab', { name }).and(workbench.page.locator('[aria-selected="true"]'));
  let clicks = 0;

  await step('one click on the icon shows the built-in server with its tools', async () => {
    await workbench.openSidebar('MCP Deck');
    clicks++;
    await servers.row('Find Files').waitFor();
    await workbench.screenshot('newcomer-1-icon');
  });

  await step('a click on a tool shows its form, ready to be typed into', async () => {
    await servers.click('Find Files');
    clicks++;
    await page.locator('input:focus').waitFor();
    await workbench.screenshot('newcomer-2-form');
  });

  await step('the primary button runs the tool with the typed argument, and the files appear as a table', async () => {
    await workbench.page.keyboard.type('**/*.md');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    clicks++;
    await page.getByRole('columnheader', { name: 'path' }).waitFor();
    await page.getByRole('link', { name: 'docs/guide.md' }).waitFor();
    assert.deepEqual((await page.locator('tbody tr').allTextContents()).sort(), [
      'README.md',
      'docs/guide.md',
      'docs/questions.md',
    ]);
    await workbench.screenshot('newcomer-3-result');
    assert.deepEqual(await axeViolations(page), []);
  });

  await step('a click on a file opens it', async () => {
    await page.getByRole('link', { name: 'docs/guide.md' }).click();
    clicks++;
    await editor(/guide\.md/).waitFor();
    await workbench.page
      .locator('.editor-group-container.active .view-line', { hasText: 'Look at the sea.' })
      .first()
      .waitFor();
    // An open file is a resource of the built-in server. While its line appears, VS Code does not know the lines beside
    // it.
    await servers.row('Resources').waitFor();
    await workbench.screenshot('newcomer-4-file');
    assert.ok(clicks <= maxClicks, `It took ${clicks} clicks.`);
  });

  await step('the button on the line asks for the one argument and leads to the same table', async () => {
    await servers.clickAction('Find Files', /^Run/);
    await workbench.quickInput.waitFor({ title: 'Find Files' });
    await workbench.quickInput.type('src/**');
    await workbench.quickInput.accept();
    await page.getByRole('link', { name: 'src/ships.js' }).click();
    await editor(/ships\.js/).waitFor();
  });

  await step('everything works by keyboard alone', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await workbench.quickInput.type('find files');
    await workbench.quickInput.accept();
    await workbench.quickInput.waitFor({ title: 'Find Files' });
    await workbench.quickInput.type('**/q*.md');
    await workbench.quickInput.accept();
    const link = page.getByRole('link', { name: 'docs/questions.md' });
    await link.waitFor();
    await link.focus();
    await workbench.page.keyboard.press('Enter');
    await editor(/questions\.md/).waitFor();
  });
}
