import { isObject } from '../base/guards.js';
import { stateKeys } from '../base/stores.js';
import type { StateStore } from '../base/stores.js';

/** One run of a tool. */
export interface ToolRun {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

const key = stateKeys.runs;
const maxRuns = 50;
/** Maximum length of stored arguments, in characters. Longer arguments are kept only until the window closes. */
const maxStoredLength = 10_000;

/**
 * The latest run of each tool with its arguments, newest first. It is used for the recent tools in "Run Tool…", the
 * suggestions in forms, and "Repeat Last Call". Secrets and large values are kept only until the window closes.
 */
export class RunMemory {
  private runs: ToolRun[] | undefined;

  /** @param onRun called after each run. */
  constructor(
    private readonly store: StateStore,
    private readonly onRun: () => void = () => undefined,
  ) {}

  /** All runs, newest first. */
  recent(): readonly ToolRun[] {
    this.runs ??= read(this.store.get(key));
    return this.runs;
  }

  last(): ToolRun | undefined {
    return this.recent()[0];
  }

  /** The arguments of the tool's latest run. */
  argumentsOf(server: string, tool: string): Record<string, unknown> | undefined {
    return this.recent().find((run) => run.server === server && run.tool === tool)?.arguments;
  }

  /**
   * Stores a run in place of the previous one of the same tool.
   * @param kept the arguments that may be stored, without secrets.
   */
  async remember(run: ToolRun, kept: Record<string, unknown>): Promise<void> {
    const others = this.recent().filter((other) => other.server !== run.server || other.tool !== run.tool);
    this.runs = [run, ...others].slice(0, maxRuns);
    this.onRun();
    const stored = read(this.store.get(key)).filter((other) => other.server !== run.server || other.tool !== run.tool);
    const storable = JSON.stringify(kept).length > maxStoredLength ? {} : kept;
    await this.store.set(key, [{ ...run, arguments: storable }, ...stored].slice(0, maxRuns));
  }
}

function read(stored: unknown): ToolRun[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((run: unknown) =>
    isObject(run) && typeof run['server'] === 'string' && typeof run['tool'] === 'string' && isObject(run['arguments'])
      ? [{ server: run['server'], tool: run['tool'], arguments: run['arguments'] }]
      : [],
  );
}
