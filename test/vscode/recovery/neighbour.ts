import assert from 'node:assert/strict';
import { command, textOf } from '../support/host.js';

/** A well-behaved server next to the failing one still answers. */
export async function assertNeighbourAnswers(): Promise<void> {
  const result = await command('mcpDeck.runTool', { server: 'neighbour', tool: 'echo', arguments: { text: 'here' } });
  assert.equal(textOf(result), 'here');
}
