import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/hostError.js';
import type { ServerView } from '../../../src/core/catalog/hostTypes.js';
import type { AgentToolsOptions } from '../../../src/core/gateway/agentTools.js';
import { AgentTools } from '../../../src/core/gateway/agentTools.js';
import { gatewayNames } from '../../../src/core/gateway/toolSearch.js';
import { ToolFinder } from '../../../src/core/search/toolFinder.js';
import { needsInput, needsTrust, serverView, tool } from '../../support/serverViews.js';

/** The tools of an agent in a window with these servers. */
function agentTools(views: readonly ServerView[]): AgentTools {
  return new AgentTools({
    host: { servers: { list: () => views }, lifecycle: { refreshStaleLists: () => undefined } },
    starts: { startInTime: () => Promise.resolve(), whenStarted: () => undefined },
    names: gatewayNames(undefined),
    overrides: () => [],
    isLeftOut: () => false,
    validate: () => [],
    finder: new ToolFinder(),
    runTool: () => Promise.reject(new Error('not called')),
  } as unknown as AgentToolsOptions);
}

test('[GW14] an agent learns which servers wait for the user, because their tools are not listed', () => {
  const views = [
    serverView('runs', { features: { tools: [tool('echo')] } }),
    serverView('new', { state: needsTrust }),
    serverView('typed', { state: needsInput }),
    serverView('broken', { state: { kind: 'failed', error: new HostError('internal', 'it broke'), at: 0 } }),
    serverView('off', { isEnabled: false }),
  ];
  assert.deepEqual(
    agentTools(views)
      .servers()
      .map(({ name, hint }) => [name, hint]),
    [
      ['runs', undefined],
      ['new', "The server waits for the user's approval. Ask the user to start it in the Servers view of MCP Deck."],
      [
        'typed',
        'The server waits for a value from the user. Ask the user to start it in the Servers view of MCP Deck.',
      ],
      ['broken', 'The server failed. Ask the user to run "MCP Deck: Diagnose Server…".'],
    ],
  );
});
