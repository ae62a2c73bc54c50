/** Shared by the tests of requests: the tools of the server `asking`, and functions that a test replaces. */
import { command, textOf, until } from '../support/host.js';

/** Runs a tool of the server `asking`. */
export const runTool = (tool: string) => command('mcpDeck.runTool', { server: 'asking', tool });

/** The result that a tool of this server describes. */
export const outcome = async (running: Promise<unknown>): Promise<any> => JSON.parse(textOf(await running)) as unknown;

/**
 * Runs a command on the only waiting request, as soon as there is one; leaving it for later also counts as an outcome.
 */
export const whenAsked = (id: string) =>
  until(`${id} finds a request`, () =>
    command(id).then(
      () => 'done',
      ({ message }: Error) =>
        message === 'Canceled' ? 'left for later' : message.startsWith('No server is waiting') ? undefined : message,
    ),
  );

/** What a test restores at its end. */
export const restores: (() => void)[] = [];

/** Replaces a function of `vscode` until the test ends; the extension uses the same object. */
export function replace<T extends object, K extends keyof T>(owner: T, key: K, replacement: T[K]): void {
  const original = owner[key];
  owner[key] = replacement;
  restores.push(() => (owner[key] = original));
}
