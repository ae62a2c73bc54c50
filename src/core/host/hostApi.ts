import type { Traces } from '../trace/traces.js';
import type { ServersApi } from './hostServers.js';
import type { CallsApi } from './serverCalls.js';
import type { LifecycleApi } from './serverLifecycle.js';
import type { SignInApi } from './signInApi.js';
import type { StoredValuesApi } from './storedValues.js';

/** The whole API without VS Code, by subject. Code that needs one subject takes that part alone. */
export interface HostApi {
  /** Which servers there are, and their state. */
  readonly servers: ServersApi;
  /** Starting and stopping them. */
  readonly lifecycle: LifecycleApi;
  /** What is asked of them: tools, resources, prompts. */
  readonly calls: CallsApi;
  /** Values that the user typed in for them, and approvals. */
  readonly storedValues: StoredValuesApi;
  /** Sign-ins, accounts and client registrations. */
  readonly signIns: SignInApi;
  /** Captures of what passes over the wire. */
  readonly traces: Traces;
  /** Reads the configuration, then starts what should start. Resolves when the configuration is read. */
  open(): Promise<void>;
  /** Stops every server in parallel; resolves when no process is left. Idempotent. */
  close(): Promise<void>;
}
