import type { Disposable } from '../../core/base/disposable.js';
import { toDisposable } from '../../core/base/disposable.js';
import { HostError } from '../../core/base/hostError.js';
import type { CommandFunnel } from './commandFunnel.js';
import type { Invocation, ReadInvocation } from './invocation.js';
import { readInvocation } from './invocation.js';
import type { CommandId, CommandName } from '../manifest.js';
import { titleCommands } from '../manifest.js';
import { TitleButtons } from './titleButtons.js';

/** Runs a command. A caller that passed an argument object receives the result or the error. */
export type CommandHandler<Name extends CommandName = CommandName> = (invocation: Invocation<Name>) => Promise<unknown>;

/** Maps command IDs to the handlers behind the stubs that activation registered. */
export class CommandTable {
  /** The title buttons of MCP Deck's documents that the user can press. */
  readonly titleButtons = new TitleButtons();
  private readonly handlers = new Map<CommandId, CommandHandler>();

  constructor(private readonly funnel: CommandFunnel) {}

  /**
   * Sets the handler of a command. `CommandArguments` defines the type of the argument object that the handler
   * receives.
   * @returns an object that removes the handler when it is disposed.
   */
  defineCommand<Name extends CommandName>(id: `mcpDeck.${Name}`, handler: CommandHandler<Name>): Disposable {
    this.handlers.set(id, handler);
    return toDisposable(() => this.handlers.delete(id));
  }

  /** Runs a command with the arguments that VS Code passed to it. */
  run(id: CommandId, args: readonly unknown[]): Promise<unknown> {
    const wholeView = titleCommands[id];
    const { invocation, failed }: ReadInvocation = wholeView
      ? { invocation: {} }
      : readInvocation(id, args, this.titleButtons);
    return this.funnel.run(id, invocation, async () => {
      const handler = this.handlers.get(wholeView ?? id);
      if (!handler) throw new HostError('internal', `The command ${id} has no handler.`);
      try {
        return await handler(invocation);
      } catch (error) {
        failed?.();
        throw error;
      }
    });
  }
}
