/** The texts for agents about servers that wait for the user, because their tools are missing from the lists. */
import type { ConnectionState } from '../connection/serverConnection.js';

/**
 * The instructions of the gateway of a window. They name no server, because a client receives them before the user has
 * approved it.
 */
export const gatewayInstructions = [
  'These are the tools of the MCP servers of a VS Code window.',
  'Until the user has allowed this client in the Requests view of VS Code, the lists are empty.',
  "The tools of a server that waits for the user's approval, a sign-in, or a value are not listed.",
  'If a tool is missing, ask the user to look at the Servers view of MCP Deck in VS Code.',
].join(' ');

/**
 * What an agent is to ask the user about a server that is stopped, failed, or waits for the user. Undefined for other
 * servers.
 */
export function waitingHint(kind: ConnectionState['kind']): string | undefined {
  const ask = 'Ask the user to start it in the Servers view of MCP Deck.';
  switch (kind) {
    case 'needsTrust':
      return `The server waits for the user's approval. ${ask}`;
    case 'needsSignIn':
      return `The server waits for the user to sign in. ${ask}`;
    case 'needsInput':
      return `The server waits for a value from the user. ${ask}`;
    case 'stopped':
      return `The server is stopped. ${ask}`;
    case 'failed':
      return 'The server failed. Ask the user to run "MCP Deck: Diagnose Server…".';
    default:
      return undefined;
  }
}
