/**
 * What is kept of a server apart from its definition, when the server moves to another of our places: what goes with
 * it, and what stays behind.
 */
import type { StoredInput } from '../registry/storedInputs.js';
import type { OwnFile } from './appFormats.js';
import type { PortableServer, Loss } from './portableServer.js';

/** Fields whose change lets a value reach another program or address than the one it was given to. */
const receiving = /^(?:command|args|url|cwd|envFile)(?:\.|$)/;

/** Whether the server does the same there, so that what was typed in for it reaches whom it was given to. */
export function isSameThere({ fields }: PortableServer, placeLosses: readonly Loss[]): boolean {
  // Without a folder of its own it runs in another one, which is still the same program.
  return !placeLosses.some(({ field }) => receiving.test(field) && !(field === 'cwd' && fields['cwd'] === undefined));
}

/** What will not go with a server, told before it moves. */
export function stayingLosses(server: string, stored: readonly StoredInput[], to: OwnFile, isSame: boolean): Loss[] {
  if (to !== 'portable' && isSame) return [];
  const why =
    to === 'portable'
      ? 'that file cannot ask for values'
      : 'the server runs or reaches something else there, and you are asked again';
  return stored.map(({ input }) => ({
    server,
    field: `inputs.${input}`,
    message: `Its stored value stays behind: ${why}. "Stored Values…" has it until you forget it.`,
  }));
}
