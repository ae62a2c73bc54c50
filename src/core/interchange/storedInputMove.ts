/**
 * Determines which stored input values move with a server when its definition moves to another of our files, and which
 * do not.
 */
import type { StoredInput } from '../registry/storedInputs.js';
import type { OwnFile } from './appFormats.js';
import type { PortableServer, Loss } from './portableServer.js';

/**
 * Fields that determine the program or the address that receives a stored value. If one of them changes, the value
 * could reach another program or address than the one for which the user entered it.
 */
const receiving = /^(?:command|args|url|cwd|envFile)(?:\.|$)/;

/** Whether the server is the same at the destination, so that its stored values reach the same program or address. */
export function keepsReceiver({ fields }: PortableServer, placeLosses: readonly Loss[]): boolean {
  // If a server has no `cwd`, it runs in another folder after the move, but it is still the same program.
  return !placeLosses.some(({ field }) => receiving.test(field) && !(field === 'cwd' && fields['cwd'] === undefined));
}

/** The stored values that do not move with a server, as losses that are shown before the move. */
export function unmovedInputs(server: string, stored: readonly StoredInput[], to: OwnFile, isSame: boolean): Loss[] {
  if (to !== 'portable' && isSame) return [];
  const why =
    to === 'portable'
      ? '.mcp.json cannot ask for values'
      : 'the server runs another program or connects to another address there, so you are asked again';
  return stored.map(({ input }) => ({
    server,
    field: `inputs.${input}`,
    message: `The stored value does not move with the server: ${why}. "Stored Values…" lists the value until you forget it.`,
  }));
}
