// The five steps that VS Code shows to who has just installed the extension.
import assert from 'node:assert/strict';

export const isApart = true;
export const window = { workspace: 'sample' };

const steps = ['See your servers', 'Run a tool', 'Add a server of your own', 'Fill in a form', 'Look inside'];

export async function run({ workbench, step }) {
  const { page, quickInput } = workbench;

  await step('the walkthrough opens with its five steps', async () => {
    // A narrow editor has no room for the pictures.
    await page.setViewportSize({ width: 1500, height: 850 });
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await quickInput.waitFor();
    await quickInput.type('First Steps with MCP Deck');
    await quickInput.pick('First Steps with MCP Deck');
    await page.locator('.getting-started-step').first().waitFor();
    assert.deepEqual(await page.locator('.getting-started-step .step-title').allTextContents(), steps);
  });

  await step('each step has a picture', async () => {
    for (const [index, title] of steps.entries()) {
      const row = page.locator('.getting-started-step', { hasText: title });
      if (!(await row.getAttribute('class'))?.includes('expanded')) await row.locator('.step-title').click();
      await page.locator('.getting-started-step.expanded', { hasText: title }).waitFor();
      const picture = page.frameLocator('.getting-started-media iframe.webview.ready').frameLocator('#active-frame').locator('svg');
      await picture.waitFor();
      await workbench.screenshot(`walkthrough-${index + 1}`);
    }
  });
}
