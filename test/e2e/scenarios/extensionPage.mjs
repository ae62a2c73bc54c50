// The page of the extension, the documentation, and the help links that lead to it. The page shows the packaged README,
// where VS Code removes pictures without an https address and relative links do nothing, so the packaged README has
// neither.
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
    const pictures = await readme
      .locator('body')
      .evaluate((body) => [...body.querySelectorAll('img')].map(({ outerHTML }) => outerHTML));
    const dead = await readme.locator('body').evaluate((body) =>
      [...body.querySelectorAll('a')]
        .filter(({ id }) => id !== 'scroll-to-top')
        .map((link) => link.getAttribute('href') ?? link.getAttribute('data-href') ?? link.outerHTML)
        .filter((target) => !/^(https:|mailto:|#)/.test(target)),
    );
    assert.deepEqual({ pictures, dead }, { pictures: [], dead: [] });
  });

  await step('the features and the way to the documentation are on the page', async () => {
    await readme.getByRole('heading', { name: 'What it does' }).scrollIntoViewIfNeeded();
    await workbench.screenshot('extension-page-2');
    await readme.getByText('MCP Deck: Open Documentation…').first().waitFor();
  });

  await step(
    'a page of the documentation opens from the list, without a broken picture, and its links open other pages',
    async () => {
      await workbench.runCommandAndPick('MCP Deck: Open Documentation…', 'Trace messages');
      await readme.getByRole('heading', { name: 'Trace messages' }).waitFor();
      assert.equal(await readme.locator('img').count(), 0);
      await workbench.screenshot('documentation-page');
      await readme.getByRole('link', { name: 'Troubleshoot a server' }).click();
      await readme.getByRole('heading', { name: 'Diagnose a server' }).waitFor();
    },
  );

  await step('a help link of the walkthrough opens its page', async () => {
    await workbench.runCommandAndPick('Welcome: Open Walkthrough...', 'Get Started with MCP Deck');
    await page.locator('.getting-started-step').first().waitFor();
    const shown = page.locator('.getting-started-step', { hasText: 'See your servers' });
    if (!(await shown.getAttribute('class'))?.includes('expanded')) await shown.locator('.step-title').click();
    await workbench.screenshot('walkthrough-help');
    await shown
      .getByRole('link', { name: 'configure servers' })
      .or(shown.locator('a', { hasText: 'configure servers' }))
      .first()
      .click();
    await readme.getByRole('heading', { name: 'Configure servers', exact: true }).waitFor();
    await workbench.screenshot('documentation-help');
  });
}
