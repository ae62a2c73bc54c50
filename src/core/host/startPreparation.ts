import { realpath, stat } from 'node:fs/promises';
import { systemClock } from '../base/clock.js';
import { durationText } from '../../shared/amountText.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { storageFailure } from '../base/storageFailure.js';
import { StartTimeBudget } from '../base/startTimeBudget.js';
import type { StartContext } from '../config/variables.js';
import { readOnce } from '../config/variableValues.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { KeptPorts } from './keptStores.js';

/** The preparation of one start. It is used for the whole start, and never for another start. */
export interface Preparation {
  /** Whether the user may be asked. */
  readonly isInteractive: boolean;
  readonly time: StartTimeBudget;
  /** The source of variable values; each file is read once. */
  readonly context: StartContext;
  /** The values of inputs that the start has read or asked for, by ID. */
  readonly inputs: Map<string, string>;
  /** Why secret storage could not be read. Absent if no read has failed. */
  problem?: HostError;
}

/**
 * Begins the preparation of a start of `entry`.
 * @param signal cancels the preparation at any point.
 * @param onQuestion called when the user is asked, and again with false after the answer.
 */
export function beginPreparation(
  ports: KeptPorts,
  entry: ServerEntry,
  isInteractive: boolean,
  signal?: AbortSignal,
  onQuestion?: (isAsking: boolean) => void,
): Preparation {
  const time = startTime(ports, entry, signal, onQuestion);
  return { isInteractive, time, context: contextOf(ports, entry, time), inputs: new Map() };
}

/** The time budget of a start of `entry`. */
export function startTime(
  ports: KeptPorts,
  { definition }: ServerEntry,
  signal?: AbortSignal,
  onQuestion?: (isAsking: boolean) => void,
): StartTimeBudget {
  const limitMs =
    (definition.type === 'builtin' ? undefined : definition.startTimeoutMs) ?? ports.settings.current().startTimeoutMs;
  return new StartTimeBudget(ports.clock ?? systemClock, limitMs, signal, onQuestion);
}

function contextOf({ machine }: KeptPorts, entry: ServerEntry, time: StartTimeBudget): StartContext {
  return readOnce({
    serverName: entry.name,
    folderPath: entry.source.folderPath,
    folders: machine.folders(),
    userHome: machine.userHome,
    env: machine.env,
    getSetting: (key) => machine.getSetting(key),
    readFile: (file) =>
      time.step(
        () => machine.readFile(file),
        (waitedMs) => silent(entry, visibleLine(file, 200), waitedMs),
      ),
    realPath: (file) =>
      time.step(
        () => realpath(file).catch(() => file),
        (waitedMs) => silent(entry, visibleLine(file, 200), waitedMs),
      ),
    isFolder: (path) =>
      time.step(
        () =>
          stat(path).then(
            (found) => found.isDirectory(),
            () => false,
          ),
        (waitedMs) => silent(entry, visibleLine(path, 200), waitedMs),
      ),
    commandInputs: new Set(entry.inputs.filter(({ type }) => type === 'command').map(({ id }) => id)),
    isPortable: entry.source.kind === 'portable',
  });
}

/** The error for a file or store that did not answer in time. */
export function silent(entry: ServerEntry, thing: string, waitedMs: number, store?: 'secrets'): Error {
  const failure = storageFailure(new Error('There was no answer.'), {
    operation: 'read',
    thing,
    server: entry.id,
    cause: 'silent',
  });
  if (failure instanceof HostError) Object.assign(failure.data, { waitedMs }, store ? { store } : {});
  return failure;
}

/** The error for a preparation in which `what` did not answer in time. */
export function tooLate(
  entry: ServerEntry,
  why: 'login-shell' | 'sign-in-data',
  what: string,
): (waitedMs: number) => HostError {
  return (waitedMs) =>
    new HostError(
      'timeout',
      `The preparation of "${visibleLine(entry.name, 80)}" took longer than ${durationText(waitedMs)}: ${what} did not answer.`,
      {
        data: { server: entry.id, why, waitedMs },
        hint: 'Try again, or increase "startTimeoutMs" in the configuration of the server.',
      },
    );
}
