import type { Authorizer } from '../auth/authorizer.js';
import type { HostError } from '../base/hostError.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import type { ProtocolChoice, StdioFraming } from '../config/serverDefinition.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** The one field of a definition that a trial start changes, with its new value. */
export type TrialChange = { framing: StdioFraming } | { protocol: ProtocolChoice };

/** Facts about a server before it runs. No method except `tryStart` starts or contacts anything. */
export interface Inspection {
  entry: ServerEntry;
  /** Why the server must not be started or contacted now; undefined if starting and contacting it is allowed. */
  refusal: HostError | undefined;
  /** The definition with its variables replaced; the user is not asked. Rejects with HostError. */
  resolve(): Promise<ResolvedServer>;
  /** The environment variables that the process of the server would get. */
  environment(resolved: Extract<ResolvedServer, { type: 'stdio' }>): Promise<Record<string, string>>;
  /** The authorizer for requests to a remote server; the user is not asked. Rejects with HostError. */
  authorizer(resolved: Exclude<ResolvedServer, { type: 'stdio' }>): Promise<Authorizer>;
  /**
   * Starts a separate instance of a local server with one field of its definition changed, and stops it again. Resolves
   * with the protocol revision of the instance. Rejects with HostError or ProtocolError; the instance is stopped in
   * that case, too.
   * @param timeoutMs timeout of the handshake, ms.
   */
  tryStart(change: TrialChange, timeoutMs: number, signal: AbortSignal): Promise<string>;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  getSetting: (key: string) => unknown;
}
