// The page of the extension in VS Code, which shows the packaged README. VS Code removes pictures that are not at an https
// address there, and relative links do nothing, so the packaged README has neither.
import assert from 'node:assert/strict';

export const isApart = true;
export const themes = ['dark', 'light'];
export const window = { workspace: 'sample' };

export async function run({ workbench, step }) {
  const { page } = workbench;
  const readme = workbench.webview();

  await step('the Extensions view opens the page of the extension', async () => {
    await workbench.runCommand('Extensions: Show Installed Extensions');
    await page.locator('.extensions-list .extension-list-item', { hasText: 'MCP Deck' }).first().click();
    await readme.getByRole('heading', { name: 'MCP Deck' }).first().waitFor();
    await workbench.screenshot('extension-page-1');
  });

  await step('the page has no broken picture and no link that does nothing', async () => {
    const pictures = await readme.locator('body').evaluate((body) => [...body.querySelectorAll('img')].map(({ outerHTML }) => outerHTML));
    const dead = await readme.locator('body').evaluate((body) => [...body.querySelectorAll('a')].filter(({ id }) => id !== 'scroll-to-top').map((link) => link.getAttribute('href') ?? link.getAttribute('data-href') ?? link.outerHTML).filter((target) => !/^(https:|mailto:|#)/.test(target)));
    assert.deepEqual({ pictures, dead }, { pictures: [], dead: [] });
  });

  await step('the features and the way to the documentation are on the page', async () => {
    await readme.getByRole('heading', { name: 'What it does' }).scrollIntoViewIfNeeded();
    await workbench.screenshot('extension-page-2');
    await readme.getByText('MCP Deck: Open Documentation…').first().waitFor();
  });
}
