import { isObject } from '../base/guards.js';
import type { NamedItem } from './publicNames.js';
import { PublicNames } from './publicNames.js';
import { callTool, searchTool } from './toolFinder.js';

/** Keeps the public names, so that a name has the same meaning after a restart. */
export interface KeptNames {
  /** The last value that `save` received. */
  readonly stored: unknown;
  /** Called when names were added. */
  save(names: unknown): void;
}

/** The names of the gateway's own tools. */
const reserved = [searchTool.name, callTool.name];

/** The public names of tools and prompts. */
export class GatewayNames {
  readonly tools: PublicNames;
  readonly prompts: PublicNames;

  constructor(private readonly kept: KeptNames | undefined) {
    const stored = isObject(kept?.stored) ? kept.stored : {};
    this.tools = new PublicNames(stored['tools'], reserved);
    this.prompts = new PublicNames(stored['prompts']);
  }

  /** Gives names to items that have none. */
  add(tools: Iterable<NamedItem>, prompts: Iterable<NamedItem>): void {
    const areNew = [this.tools.add(tools), this.prompts.add(prompts)];
    if (areNew.includes(true)) this.kept?.save({ tools: this.tools.toJson(), prompts: this.prompts.toJson() });
  }
}
