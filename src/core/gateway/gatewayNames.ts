import { nearestName } from '../base/editDistance.js';
import { isObject } from '../base/guards.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { NamedItem } from './publicNames.js';
import { PublicNames } from './publicNames.js';

/** Stores the public names, so that a name means the same item after a restart. */
export interface KeptNames {
  /** The last value that `save` received. */
  readonly stored: unknown;
  /** Called when names were added. */
  save(names: unknown): void;
}

/** The public names of tools and prompts. */
export class GatewayNames {
  readonly tools: PublicNames;
  readonly prompts: PublicNames;

  /** @param reserved the names of the gateway's own tools. */
  constructor(
    private readonly kept: KeptNames | undefined,
    reserved: readonly string[] = [],
  ) {
    const stored = isObject(kept?.stored) ? kept.stored : {};
    this.tools = new PublicNames(stored['tools'], reserved);
    this.prompts = new PublicNames(stored['prompts']);
  }

  /** Gives names to items that have none, in steps. */
  *adding(tools: Iterable<NamedItem>, prompts: Iterable<NamedItem>): Generator<void, void> {
    const areNew = [yield* this.tools.adding(tools), yield* this.prompts.adding(prompts)];
    if (areNew.includes(true)) this.kept?.save({ tools: this.tools.toJson(), prompts: this.prompts.toJson() });
  }
}

/**
 * The error for an unknown name, with the most similar one.
 * @param isOffered whether the client sees the item with this name.
 */
export function unknownItem(
  kind: 'tool' | 'prompt',
  name: string,
  names: Iterable<string>,
  isOffered: (name: string) => boolean,
): ProtocolError {
  const near = nearestName(name, names, isOffered);
  return new ProtocolError(
    ErrorCode.invalidParams,
    `There is no ${kind} "${name.slice(0, 100)}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
  );
}
