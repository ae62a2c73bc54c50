import type { CallFacts } from './ruleSet.js';
import type { ToolPins } from './toolPins.js';

/** What tools were, kept where their servers are known: those of the user's own settings are the same in every workspace. */
export class ScopedPins {
  constructor(
    private readonly workspace: ToolPins,
    private readonly user: ToolPins,
  ) {}

  of({ origin }: { origin: CallFacts['origin'] }): ToolPins {
    return origin === 'user' ? this.user : this.workspace;
  }

  /** Forgets every approval, in this workspace and of the user's own servers. */
  async reset(): Promise<void> {
    await this.workspace.reset();
    await this.user.reset();
  }
}
