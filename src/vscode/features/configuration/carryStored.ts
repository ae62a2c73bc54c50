import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { isSameReceiver } from '../../../core/config/receiver.js';
import type { Loss } from '../../../core/interchange/portableServer.js';
import { whenFound } from '../../../core/base/whenFound.js';
import type { StoredInput } from '../../../core/registry/storedInputs.js';
import type { ExtensionServices } from '../../ui/services.js';

/** A server that was moved to another file or setting. */
export interface Moved {
  before: ServerView['entry'];
  /** The name of the server in its new source. */
  name: string;
  /** ID of the new source. */
  source: string;
  inputIds: ReadonlyMap<string, string>;
  /** Stored input values to move. */
  stored: readonly StoredInput[];
  /** Names of its tools that the user disabled. */
  off: readonly string[];
}

/**
 * Moves the stored input values of a server to its new ID, and disables the same tools there. Returns a loss for each
 * value or tool for which this failed. A loss never contains the value.
 */
export async function carryStored(
  { host, switches }: Pick<ExtensionServices, 'host' | 'switches'>,
  { before, name, source, inputIds, stored, off }: Moved,
): Promise<Loss[]> {
  if (stored.length === 0 && off.length === 0) return [];
  // Waits until the server is listed in its new source and no longer in its old one. Until then, both servers exist
  // under different IDs.
  const find = () =>
    host.servers.list().some(({ entry }) => entry.source.id === before.source.id && entry.name === before.name)
      ? undefined
      : host.servers.list().find(({ entry }) => entry.source.id === source && entry.name === name)?.entry;
  const entry = await whenFound(host.servers.onDidChange, find);
  const lost = (field: string, message: string): Loss => ({ server: name, field, message });
  if (!entry)
    return [
      ...stored.map(({ input }) =>
        lost(
          `inputs.${input}`,
          'Its stored value was not moved, because the server did not appear in its new location in time.',
        ),
      ),
      ...off.map((tool) => lost('', `The tool "${tool}" was disabled and may be enabled now.`)),
    ];
  if (entry.id !== before.id) for (const tool of off) await switches.setTool(entry.id, tool, false);
  const losses: Loss[] = [];
  for (const one of stored) {
    // Values are moved only if they reach the same program or URL, because another program may have changed the file in
    // the meantime.
    const isCarried =
      isSameReceiver(before.definition, entry.definition) &&
      (await host.storedValues.carryInput(one, entry.id, inputIds.get(one.input) ?? one.input).catch(() => false));
    if (!isCarried)
      losses.push(
        lost(
          `inputs.${one.input}`,
          'Its stored value could not be moved. You are asked for it when the server starts.',
        ),
      );
  }
  return losses;
}
