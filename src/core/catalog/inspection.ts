import type { Authorizer } from '../auth/authorizer.js';
import type { ResolvedServer } from '../config/variables.js';
import type { ProtocolChoice, StdioFraming } from '../config/serverDefinition.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** Fields of a definition that a trial start changes. */
export type TrialChange = { framing: StdioFraming } | { protocol: ProtocolChoice };

/** Facts about a server before it runs. Only `tryStart` starts or contacts anything. */
export interface Inspection {
  entry: ServerEntry;
  /** Why the server must not be started or contacted now; undefined when it may. */
  refusal: string | undefined;
  /** The definition with its variables replaced; the user is not asked. Rejects with HostError. */
  resolve(): Promise<ResolvedServer>;
  /** The environment variables that its process would get. */
  environment(resolved: Extract<ResolvedServer, { type: 'stdio' }>): Promise<Record<string, string>>;
  /** What authorizes the requests to a remote server; the user is not asked. Rejects with HostError. */
  authorizer(resolved: Exclude<ResolvedServer, { type: 'stdio' }>): Promise<Authorizer>;
  /**
   * Starts a separate instance of a local server with one field of its definition changed, and stops it again. Resolves
   * with the revision that it uses. Rejects with HostError or ProtocolError; the instance is stopped in both cases.
   * @param timeoutMs how long the handshake may take.
   */
  tryStart(change: TrialChange, timeoutMs: number, signal: AbortSignal): Promise<string>;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  getSetting: (key: string) => unknown;
}
