import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/hostError.js';
import { ServerCatalog } from '../catalog/serverCatalog.js';
import { withoutWatch } from '../config/dev.js';
import { LivenessWatch } from '../connection/livenessWatch.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { McpSession } from '../session/mcpSession.js';
import type { ResourceSubscriptions } from './resourceSubscriptions.js';
import type { ServerLogWriter } from './serverLogWriter.js';

/** A running server: the session and its catalog. Both are closed together. */
export interface RunningServer {
  session: McpSession;
  catalog: ServerCatalog;
  liveness: LivenessWatch;
  /** The definition that this instance was started from, serialized. */
  definition: string;
  /** The hash of the definition. */
  hash: string;
  whenClosed(listener: (reason?: Error) => void): Disposable;
  close(why?: HostError): Promise<void>;
  kill(): void;
}

export interface RunningServerOptions {
  /** The entry with the definition that the server was started from. */
  entry: ServerEntry;
  logWriter: ServerLogWriter;
  subscriptions: ResourceSubscriptions;
  /** Returns the request timeout, ms. */
  requestTimeoutMs: () => number;
  clock: Clock;
  /** Called with the catalog before the lists are requested. */
  onCatalog: (catalog: ServerCatalog) => void;
  /** Called when the features of the server changed, or when the server stopped or resumed answering. */
  onDidChange: () => void;
  end: (session: McpSession, why: HostError | undefined) => Promise<void>;
  /** Cancels the loading of the lists. */
  signal: AbortSignal;
}

/**
 * Waits for a session, loads its first lists, and monitors it from then on. Rejects if `opening` rejects, if the lists
 * cannot be loaded, or if the signal is aborted. In these cases, the session is closed.
 */
export async function runSession(opening: Promise<McpSession>, options: RunningServerOptions): Promise<RunningServer> {
  const { entry, logWriter, onDidChange, signal } = options;
  const session = await opening.catch((error: unknown) => {
    notePhase(error, 'start');
    throw error;
  });
  session.whenClosed((reason) => notePhase(reason, 'running'));
  let catalog: ServerCatalog | undefined;
  try {
    catalog = new ServerCatalog(session, onDidChange, (line) => logWriter.write('warn', line), options.clock);
    options.onCatalog(catalog);
    setLogLevel(session, logWriter);
    options.subscriptions.renew(session);
    await abortable(catalog.load(), signal);
  } catch (error) {
    catalog?.dispose();
    await session.close();
    throw error;
  }
  const loaded = catalog;
  const liveness = watchLiveness(session, options);
  return {
    session,
    catalog: loaded,
    liveness,
    definition: serializedDefinition(entry),
    hash: entry.hash,
    whenClosed: (onClosed) => session.whenClosed(onClosed),
    close: (why) => {
      liveness.dispose();
      loaded.dispose();
      return options.end(session, why);
    },
    kill: () => session.kill(),
  };
}

/** Asks the server for log messages of the level that the user chose. If the server refuses, that is only logged. */
export function setLogLevel(session: McpSession, logWriter: ServerLogWriter): void {
  session
    .setLogLevel(logWriter.level)
    .catch((error: unknown) => logWriter.write('debug', `The log level was not accepted: ${String(error)}`));
}

/**
 * The serialized definition of an instance, without `dev.watch`, which does not change what runs. Comparing it detects
 * changes of the definition.
 */
export function serializedDefinition({ definition }: ServerEntry): string {
  return JSON.stringify(withoutWatch(definition));
}

function watchLiveness(
  session: McpSession,
  { logWriter, requestTimeoutMs, clock, onDidChange }: RunningServerOptions,
): LivenessWatch {
  const { transportKind } = session.identity;
  const watch = new LivenessWatch({
    ping: (timeoutMs) => session.ping(timeoutMs),
    requestTimeoutMs: requestTimeoutMs(),
    connection:
      transportKind === 'http'
        ? 'calls'
        : transportKind === 'sse' || transportKind === 'ws' || transportKind === 'socket'
          ? 'stream'
          : 'process',
    onDidChange: () => {
      logWriter.write(
        'warn',
        watch.silentSince === undefined
          ? 'The server answers again.'
          : 'The server does not answer; pings continue until it does.',
      );
      onDidChange();
    },
    onLost: (error) => session.drop(error),
    clock,
  });
  return watch;
}

/** Settles as `work` does, but rejects as soon as the signal is aborted. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason ?? new HostError('cancelled', 'Canceled.'));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Records in the error whether a process ended during the start or later. */
function notePhase(error: unknown, phase: 'start' | 'running'): void {
  if (error instanceof HostError && error.code === 'exited') error.data.phase ??= phase;
}
