/**
 * The public names of the gateway without a window, in a private file of the user for each configuration file: a name
 * means the same tool in each run, in whatever order the servers start.
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { messageOf } from '../core/base/hostError.js';
import { parsedJson } from '../core/base/jsonText.js';
import type { Log } from '../core/base/log.js';
import { Sequencer } from '../core/base/sequencer.js';
import { makePrivateFolder, readPrivateFile, writePrivateFile } from '../core/gateway/door/privateFiles.js';
import type { KeptNames } from '../core/gateway/gatewayNames.js';

/** Maximum size of the file, in bytes. 20,000 names of 46 characters need less. */
const maxBytes = 8 * 1024 * 1024;

export interface StoredNames extends KeptNames {
  /** Resolves when the names are written. */
  written(): Promise<void>;
}

/**
 * Reads the names of earlier runs with the configuration file. Never rejects: without a readable file, there are no
 * earlier names, and a failed write is logged.
 *
 * @param folder where the files are. Default: `mcp-deck/names` in the folder that the platform has for such data.
 */
export async function openStoredNames(config: string, log: Log, folder = namesFolder()): Promise<StoredNames> {
  const target = await realpath(config).catch(() => path.resolve(config));
  const file = path.join(folder, `${createHash('sha256').update(target).digest('hex').slice(0, 32)}.json`);
  const text = await readPrivateFile(file, maxBytes);
  const writes = new Sequencer();
  return {
    stored: parsedJson(text),
    save: (names) =>
      void writes
        .run(async () => {
          await makePrivateFolder(folder);
          await writePrivateFile(file, JSON.stringify(names));
        })
        .catch((error: unknown) =>
          log.write('warn', `The names of tools are not stored, and can differ in the next run: ${messageOf(error)}`),
        ),
    written: () => writes.run(() => Promise.resolve()),
  };
}

/** A folder in `XDG_STATE_HOME` if that is set. Otherwise, a folder in the state folder of the platform. */
function namesFolder(): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = process.env;
  const home = os.homedir();
  const base =
    state !== undefined && path.isAbsolute(state)
      ? state
      : process.platform === 'win32'
        ? (local ?? path.join(home, 'AppData', 'Local'))
        : process.platform === 'darwin'
          ? path.join(home, 'Library', 'Application Support')
          : path.join(home, '.local', 'state');
  return path.join(base, 'mcp-deck', 'names');
}
