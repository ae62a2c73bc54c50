import { systemClock } from '../base/clock.js';
import type { Clock } from '../base/clock.js';
import type { Event } from '../base/event.js';
import { whenFound } from '../base/whenFound.js';
import type { Loss } from './portableServer.js';
import type { PlainSecret } from './plainSecrets.js';

/** The store that receives moved secrets. */
export interface SecretKeeper {
  /** The ID of the server that has this input; undefined until the host has read the written file. */
  find(server: string, input: string): string | undefined;
  readonly onDidChange: Event<unknown>;
  keepInput(serverId: string, input: string, value: string): Promise<void>;
}

/** A secret, with the names of its server and input in the written file. */
export interface MovedSecret {
  secret: PlainSecret;
  server: string;
  input: string;
}

/** Stores each secret for its server. Returns a loss, without the value, for each secret that could not be stored. */
export async function storeMovedSecrets(
  keeper: SecretKeeper,
  moved: readonly MovedSecret[],
  clock: Clock = systemClock,
): Promise<Loss[]> {
  const losses: Loss[] = [];
  for (const { secret, server, input } of moved) {
    const isKept = await keep(keeper, { server, input, value: secret.value }, clock);
    if (!isKept)
      losses.push({
        server,
        field: `${secret.field}.${secret.name}`,
        message: 'Its value could not be saved in secret storage. You are asked for it when the server starts.',
      });
  }
  return losses;
}

async function keep(
  keeper: SecretKeeper,
  { server, input, value }: { server: string; input: string; value: string },
  clock: Clock,
): Promise<boolean> {
  const id = await whenFound(keeper.onDidChange, () => keeper.find(server, input), clock);
  if (id === undefined) return false;
  try {
    await keeper.keepInput(id, input, value);
    return true;
  } catch {
    // The store's error is not shown, because it does not help the user and may contain the value.
    return false;
  }
}
