/** Storage that outlives a window. The VS Code adapters implement both interfaces. */

/** Small values of a workspace that are kept after the window closes. */
export interface StateStore {
  get(key: string): unknown;
  set(key: string, value: unknown): Promise<void>;
}

/** The only storage of secrets. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/** A state that ends with its owner, for example a test run. */
export function memoryState(): StateStore {
  const values = new Map<string, unknown>();
  return { get: (key) => values.get(key), set: (key, value) => Promise.resolve(void values.set(key, value)) };
}

/** Keys of the host's values in the workspace state. */
export const stateKeys = {
  /** IDs of the servers that were started and that the user has not stopped. */
  running: 'mcpDeck.lastRunning',
  /** Servers that the user enabled or disabled, by ID. */
  enabled: 'mcpDeck.enabledOverrides',
  /** Hashes of the definitions that the user approved. */
  trusted: 'mcpDeck.trustedDefinitions',
  /** The detected era of each definition, by hash. */
  eras: 'mcpDeck.eras',
  /** Tools that the user enabled or disabled, by server ID. */
  tools: 'mcpDeck.toolSwitches',
  /** The active preset, as last read. */
  preset: 'mcpDeck.activePreset',
  /** The user's decisions about sampling, by hash of the definition. */
  sampling: 'mcpDeck.sampling',
  /** The folders that the user chose as roots, by server ID. */
  roots: 'mcpDeck.roots',
  /** The latest run of each tool, newest first. */
  runs: 'mcpDeck.recentRuns',
  /** The clients of the gateway that the user approved. */
  agents: 'mcpDeck.approvedAgents',
  /**
   * Apps that the user connected and that have not used the gateway since, each with the time at which its approval
   * expires.
   */
  expectedAgents: 'mcpDeck.expectedAgents',
  /** Names and descriptions of tools for agents that the user approved, as JSON. */
  agentTexts: 'mcpDeck.approvedAgentTexts',
  /** The public names of tools and prompts. */
  gatewayNames: 'mcpDeck.gatewayNames',
  /** The value of VS Code's `chat.mcp.autostart` before MCP Deck changed it, in the state of all windows. */
  formerAutoStart: 'mcpDeck.formerAutoStart',
  /** Whether the user was notified that VS Code runs copies of servers. */
  copiesTold: 'mcpDeck.copiesTold',
  /** The user's choices about updates of installed servers, by entry, in the state of all windows. */
  updates: 'mcpDeck.updates',
  /** The port that the gateway used last. */
  gatewayPort: 'mcpDeck.gatewayPort',
} as const;
