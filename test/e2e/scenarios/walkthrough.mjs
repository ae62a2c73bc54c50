// The five walkthrough steps that VS Code shows after the extension is installed.
import assert from 'node:assert/strict';

export const isApart = true;
export const window = { workspace: 'sample' };

/** Title, and a text that only the picture of this step contains. */
const steps = [
  ['See your servers', 'postgres'],
  ['Run a tool', 'docs/install.md'],
  ['Add a server of your own', '.vscode/mcp.json'],
  ['Fill in a form', 'create_issue'],
  ['Troubleshoot a server', 'tools/call echo'],
];

export async function run({ workbench, step }) {
  const { page, quickInput } = workbench;

  await step('the walkthrough opens with its five steps', async () => {
    // A narrow editor has no room for the pictures.
    await page.setViewportSize({ width: 1500, height: 850 });
    await workbench.runCommandThatAsks('Welcome: Open Walkthrough...');
    await quickInput.find('Get Started with MCP Deck');
    await page.locator('.getting-started-step').first().waitFor();
    assert.deepEqual(
      await page.locator('.getting-started-step .step-title').allTextContents(),
      steps.map(([title]) => title),
    );
  });

  await step('each step has a picture', async () => {
    for (const [index, [title, drawn]] of steps.entries()) {
      const row = page.locator('.getting-started-step', { hasText: title });
      if (!(await row.getAttribute('class'))?.includes('expanded')) await row.locator('.step-title').click();
      await page.locator('.getting-started-step.expanded', { hasText: title }).waitFor();
      const picture = page
        .frameLocator('.getting-started-media iframe.webview.ready')
        .frameLocator('#active-frame')
        .locator('svg');
      await picture.getByText(drawn, { exact: true }).waitFor();
      assert.deepEqual(await textsOutside(picture), []);
      await workbench.screenshot(`walkthrough-${index + 1}`);
    }
  });
}

/** Texts that extend beyond the picture, or beyond the frame in which they start. */
function textsOutside(picture) {
  return picture.evaluate((svg) => {
    const frames = [...svg.querySelectorAll('rect')].map((one) => one.getBBox());
    return [...svg.querySelectorAll('text')]
      .filter((text) => {
        const box = text.getBBox();
        return frames.some(
          (frame) =>
            frame.x <= box.x &&
            box.x <= frame.x + frame.width &&
            frame.y <= box.y &&
            box.y + box.height <= frame.y + frame.height &&
            box.x + box.width > frame.x + frame.width,
        );
      })
      .map((text) => text.textContent);
  });
}
