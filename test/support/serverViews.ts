import { HostError } from '../../src/core/base/hostError.js';
import type { ServerFeatures } from '../../src/core/catalog/serverFeatures.js';
import type { ConfigSource, InputDefinition, ServerDefinition } from '../../src/core/config/serverDefinition.js';
import type { ConnectionState } from '../../src/core/connection/serverConnection.js';
import type { ServerAuth, ServerView } from '../../src/core/catalog/hostTypes.js';
import type { Tool } from '../../src/core/protocol/mcp.js';
import type { ServerIdentity } from '../../src/core/session/serverIdentity.js';

/** Snapshots for tests of views: every part has a simple default and can be replaced. */

export const fileSource: ConfigSource = {
  id: 'vscode:file:///w/.vscode/mcp.json',
  kind: 'vscode',
  label: '.vscode/mcp.json',
  fileUri: 'file:///w/.vscode/mcp.json',
  folderPath: '/w',
  folderName: 'w',
};

const stdioDefinition: ServerDefinition = { type: 'stdio', command: 'node', args: ['server.js'], env: {} };

export interface ViewParts {
  definition?: ServerDefinition;
  source?: ConfigSource;
  state?: ConnectionState;
  features?: Partial<ServerFeatures>;
  stderr?: readonly string[];
  isEnabled?: boolean;
  needsRestart?: boolean;
  silentSince?: number;
  endpoint?: ServerView['endpoint'];
  auth?: ServerAuth;
  inputs?: readonly InputDefinition[];
}

/** A server. It is stopped unless features or a state is given. */
export function serverView(id: string, parts: ViewParts = {}): ServerView {
  const {
    definition = stdioDefinition,
    source = fileSource,
    features,
    stderr = [],
    isEnabled = true,
    needsRestart = false,
    endpoint,
    auth,
    inputs = [],
  } = parts;
  return {
    id,
    entry: { id, name: id, definition, source, inputs, isEnabled, hash: 'hash' },
    state: parts.state ?? (features ? { kind: 'running', since: 0 } : { kind: 'stopped' }),
    needsRestart,
    ...(auth ? { auth } : {}),
    ...(features ? { features: serverOffer(features) } : {}),
    ...(endpoint ? { endpoint } : {}),
    ...(parts.silentSince === undefined ? {} : { silentSince: parts.silentSince }),
    roots: [],
    stderr,
  };
}

function serverOffer(parts: Partial<ServerFeatures> = {}): ServerFeatures {
  return {
    identity: serverIdentity(),
    tools: [],
    resources: [],
    resourceTemplates: [],
    prompts: [],
    warnings: [],
    ...parts,
  };
}

export function serverIdentity(parts: Partial<ServerIdentity> = {}): ServerIdentity {
  return {
    era: 'legacy',
    revision: '2025-11-25',
    info: { name: 'test-server', version: '1.2.3' },
    capabilities: {},
    transportKind: 'stdio',
    ...parts,
  };
}

export function tool(name: string, parts: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: 'object' }, ...parts };
}

/** The state of a server of `.mcp.json` that waits for the user's approval. */
export const needsTrust: ConnectionState = {
  kind: 'needsTrust',
  error: new HostError('not-trusted', 'needs your approval (.mcp.json)', { data: { source: '.mcp.json' } }),
};

/** The state of a server that waits for the value of the input `key`. */
export const needsInput: ConnectionState = {
  kind: 'needsInput',
  error: new HostError('needs-input', 'needs a value for "key"', { data: { input: 'key' } }),
};
