import type { Authorizer } from '../auth/authorizer.js';
import type { ResolvedServer } from '../config/variables.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** What may be known of a server before it runs. Nothing of it starts or contacts anything. */
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
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  getSetting: (key: string) => unknown;
}
