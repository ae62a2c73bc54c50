import type { Traces } from '../trace/traces.js';
import type { ServersApi } from './hostServers.js';
import type { CallsApi } from './serverCalls.js';
import type { LifecycleApi } from './serverLifecycle.js';
import type { SignInApi } from './signInApi.js';
import type { StoredValuesApi } from './storedValues.js';

/**
 * The whole API of the host, independent of VS Code and split by subject. Code that needs one subject receives only
 * that part.
 */
export interface HostApi {
  /** The configured servers and their state. */
  readonly servers: ServersApi;
  /** Starts and stops servers. */
  readonly lifecycle: LifecycleApi;
  /** Calls to servers: tools, resources, prompts. */
  readonly calls: CallsApi;
  /** Stored input values and approvals. */
  readonly storedValues: StoredValuesApi;
  /** Sign-ins, accounts and client registrations. */
  readonly signIns: SignInApi;
  /** Recordings of the messages on the wire. */
  readonly traces: Traces;
  /**
   * Reads the configuration, then starts the servers that start automatically. Resolves when the configuration is read.
   */
  open(): Promise<void>;
  /** Stops every server in parallel; resolves when no process is left. Idempotent. */
  close(): Promise<void>;
}
