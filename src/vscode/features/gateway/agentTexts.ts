import { isStringArray } from '../../../core/base/guards.js';
import { stateKeys } from '../../../core/base/stores.js';
import type { StateStore } from '../../../core/base/stores.js';
import type { ToolOverride } from '../../../core/presets/toolOverrides.js';
import { changesTexts } from '../../../core/presets/toolOverrides.js';

/** Maximum number of stored approvals; the oldest ones are removed. */
const maxApprovals = 1_000;

/**
 * The overrides in `.vscode/mcp-deck.json` that apply to agents. An override of a name or description applies only if
 * the user has approved exactly this override; any other override, such as hiding a tool, always applies.
 */
export class AgentTexts {
  private approved: readonly string[];

  constructor(
    private readonly state: StateStore,
    private readonly written: () => readonly ToolOverride[],
  ) {
    const stored = state.get(stateKeys.agentTexts);
    this.approved = isStringArray(stored) ? stored : [];
  }

  get applied(): readonly ToolOverride[] {
    return this.written().filter((override) => !changesTexts(override) || this.isApproved(override));
  }

  get waiting(): readonly ToolOverride[] {
    return this.written().filter((override) => changesTexts(override) && !this.isApproved(override));
  }

  async approve(overrides: readonly ToolOverride[]): Promise<void> {
    this.approved = [...this.approved, ...overrides.map((override) => JSON.stringify(override))].slice(-maxApprovals);
    await this.state.set(stateKeys.agentTexts, this.approved);
  }

  /** Removes all approvals. */
  async forget(): Promise<void> {
    this.approved = [];
    await this.state.set(stateKeys.agentTexts, this.approved);
  }

  private isApproved(override: ToolOverride): boolean {
    return this.approved.includes(JSON.stringify(override));
  }
}
