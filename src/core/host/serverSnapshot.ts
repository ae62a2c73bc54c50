import type { ServerView } from '../catalog/hostTypes.js';
import type { ConnectionState } from '../connection/serverConnection.js';
import type { DebugRun } from '../debug/debugRun.js';
import type { ToolSwitches } from '../presets/toolSwitches.js';
import { blockedBy, subjectOf } from '../registry/serverPolicy.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { originOf } from '../registry/serverEntry.js';
import type { KeptPorts } from './keptStores.js';
import type { RunningServer } from './runningServer.js';
import { serializedDefinition } from './runningServer.js';
import type { SignIns } from './signIns.js';

/** The data that a snapshot needs in addition to the server itself. */
export interface SnapshotSources {
  readonly ports: Pick<KeptPorts, 'consent' | 'roots' | 'policies'>;
  readonly signIns: Pick<SignIns, 'authOf'>;
  /** Disabled tools; default none. */
  readonly switches?: ToolSwitches | undefined;
}

/** The state of a server now. */
export interface SnapshotFacts {
  entry: ServerEntry;
  state: ConnectionState;
  running: RunningServer | undefined;
  /** Whether the definition has changed since a start failed. */
  isChanged: boolean;
  debugRun: DebugRun | undefined;
  /** Patterns of the watched files. */
  watched: readonly string[];
  stderr: readonly string[];
  /** Whether a recording of the messages of the server is running. */
  isRecorded: boolean;
}

/** Creates the immutable snapshot of one server for the layers above. */
export function serverSnapshot(
  { ports, signIns, switches }: SnapshotSources,
  { entry, state, running, isChanged, debugRun, watched, stderr, isRecorded }: SnapshotFacts,
): ServerView {
  const auth = signIns.authOf(entry.id);
  const blocked = blockedBy(ports.policies?.current() ?? [], subjectOf(entry.name, entry.definition));
  const { silentSince } = running?.liveness ?? {};
  return {
    id: entry.id,
    entry,
    state,
    needsRestart: running !== undefined && running.definition !== serializedDefinition(entry),
    ...(blocked ? { blocked } : {}),
    ...(switches ? { switches: switches.of(entry) } : {}),
    ...(auth ? { auth } : {}),
    ...(running
      ? {
          features: running.catalog.features,
          endpoint: running.session.endpoint,
          startedAs: running.hash,
          quarantined: ports.consent.changed(
            { hash: running.hash, origin: originOf(entry.source) },
            running.catalog.features.tools,
          ),
        }
      : {}),
    ...(isChanged ? { isChanged } : {}),
    ...(silentSince === undefined ? {} : { silentSince }),
    ...(debugRun ? { debug: { kind: debugRun.plan.kind, state: debugRun.state } } : {}),
    ...(watched.length === 0 ? {} : { watched }),
    ...(isRecorded ? { isRecorded } : {}),
    roots: ports.roots.roots(entry),
    stderr,
  };
}
