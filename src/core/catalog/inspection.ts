import type { Authorizer } from '../auth/authorizer.js';
import type { ResolvedServer } from '../config/variables.js';
import type { ProtocolChoice, StdioFraming } from '../config/serverDefinition.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** Fields of a definition that a trial start changes. */
export type TrialChange = { framing: StdioFraming } | { protocol: ProtocolChoice };

/** What may be known of a server before it runs. Nothing but `tryStart` starts or contacts anything. */
export interface Inspection {
  entry: ServerEntry;
  /** Why it must not be started or contacted now; undefined when it may. */
  refusal: string | undefined;
  /** Its variables filled in; nobody is asked. Rejects with HostError. */
  resolve(): Promise<ResolvedServer>;
  /** The environment that its process would get. */
  environment(resolved: Extract<ResolvedServer, { type: 'stdio' }>): Promise<Record<string, string>>;
  /** What authorizes the requests to a remote server; nobody is asked. Rejects with HostError. */
  authorizer(resolved: Exclude<ResolvedServer, { type: 'stdio' }>): Promise<Authorizer>;
  /**
   * Starts a local server apart from the one under management, with one field of its definition changed, and stops it again.
   * Resolves with the revision that it speaks. Rejects with HostError or ProtocolError; nothing is left open in either case.
   * @param timeoutMs how long the handshake may take.
   */
  tryStart(change: TrialChange, timeoutMs: number, signal: AbortSignal): Promise<string>;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  getSetting: (key: string) => unknown;
}
