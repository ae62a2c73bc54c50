import type { ServerView } from '../../../core/catalog/hostApi.js';
import { isSameReceiver } from '../../../core/config/receiver.js';
import type { Loss } from '../../../core/interchange/portableServer.js';
import { whenFound } from '../../../core/interchange/storeMovedSecrets.js';
import type { StoredInput } from '../../../core/registry/storedInputs.js';
import type { ExtensionServices } from '../../ui/services.js';

/** A server that has moved. */
export interface Moved {
  before: ServerView['entry'];
  /** Its name there. */
  name: string;
  /** Id of the source that has it now. */
  source: string;
  inputIds: ReadonlyMap<string, string>;
  /** Values that go with it. */
  stored: readonly StoredInput[];
  /** Tools of it that the user switched off. */
  off: readonly string[];
}

/** Takes what is kept of a server to where it is now. What could not go is told, and never with a value. */
export async function carryStored(
  { host, switches }: Pick<ExtensionServices, 'host' | 'switches'>,
  { before, name, source, inputIds, stored, off }: Moved,
): Promise<Loss[]> {
  if (stored.length === 0 && off.length === 0) return [];
  // Its id is free for its new place once the old one was read without it.
  const find = () =>
    host.servers().some(({ entry }) => entry.source.id === before.source.id && entry.name === before.name)
      ? undefined
      : host.servers().find(({ entry }) => entry.source.id === source && entry.name === name)?.entry;
  const entry = await whenFound(host.onDidChange, find);
  const lost = (field: string, message: string): Loss => ({ server: name, field, message });
  if (!entry)
    return [
      ...stored.map(({ input }) =>
        lost(`inputs.${input}`, 'Its stored value does not move with it: the server did not show up in time.'),
      ),
      ...off.map((tool) => lost('', `The tool "${tool}" was off and may be on now.`)),
    ];
  if (entry.id !== before.id) for (const tool of off) await switches.setTool(entry.id, tool, false);
  const losses: Loss[] = [];
  for (const one of stored) {
    // Somebody else may have changed the file meanwhile.
    const isCarried =
      isSameReceiver(before.definition, entry.definition) &&
      (await host.carryInput(one, entry.id, inputIds.get(one.input) ?? one.input).catch(() => false));
    if (!isCarried)
      losses.push(
        lost(
          `inputs.${one.input}`,
          'Its stored value could not be carried. You are asked for it when the server starts.',
        ),
      );
  }
  return losses;
}
