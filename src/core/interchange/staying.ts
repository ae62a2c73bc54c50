/**
 * What happens to the stored input values of a server when its definition moves to another of our files: which ones
 * move with it, and which stay behind.
 */
import type { StoredInput } from '../registry/storedInputs.js';
import type { OwnFile } from './appFormats.js';
import type { PortableServer, Loss } from './portableServer.js';

/** Fields whose change can send a stored value to another program or address than the user entered it for. */
const receiving = /^(?:command|args|url|cwd|envFile)(?:\.|$)/;

/** Whether the server behaves the same at the destination, so that its stored values reach the same recipient. */
export function isSameThere({ fields }: PortableServer, placeLosses: readonly Loss[]): boolean {
  // A server that had no `cwd` runs in another folder, but it is still the same program.
  return !placeLosses.some(({ field }) => receiving.test(field) && !(field === 'cwd' && fields['cwd'] === undefined));
}

/** The stored values that do not move with a server, reported before the move. */
export function stayingLosses(server: string, stored: readonly StoredInput[], to: OwnFile, isSame: boolean): Loss[] {
  if (to !== 'portable' && isSame) return [];
  const why =
    to === 'portable'
      ? 'that file cannot ask for values'
      : 'the server runs another program or connects to another address there, so you are asked again';
  return stored.map(({ input }) => ({
    server,
    field: `inputs.${input}`,
    message: `Its stored value does not move with it: ${why}. "Stored Values…" lists it until you forget it.`,
  }));
}
