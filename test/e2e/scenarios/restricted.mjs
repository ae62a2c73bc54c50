// In Restricted Mode nothing starts, and the view says so and explains how to continue.
import assert from 'node:assert/strict';

export const isApart = true;
export const window = {
  workspace: 'sample',
  settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' },
};

export async function run({ workbench, step }) {
  const servers = workbench.tree('Servers');

  await step('a server of an untrusted workspace does not start, and the message gives the reason', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.row('everything').waitFor();
    await servers.clickAction('everything', /Start/);
    const text = await workbench.notificationText('trust');
    assert.match(text, /trust/i);
    await workbench.screenshot('restricted');
    assert.doesNotMatch(await servers.drawnText(), /everything  stdio/);
  });

  await step('after the workspace is trusted it starts', async () => {
    await workbench.trustWorkspace();
    await servers.clickAction('everything', /Start|Review/);
    await workbench.answerDialog('Start Server');
    await servers.row('everything').getByText(/tools/).waitFor();
  });
}
