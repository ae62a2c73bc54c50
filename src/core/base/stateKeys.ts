/** Names of the host's values in the workspace's state. */
export const stateKeys = {
  /** Ids of the servers that ran last. */
  running: 'mcpDeck.lastRunning',
  /** The user's own switches, by server id. */
  enabled: 'mcpDeck.enabledOverrides',
  /** Hashes of the definitions that the user approved. */
  trusted: 'mcpDeck.trustedDefinitions',
  /** Which era each definition speaks, by hash. */
  eras: 'mcpDeck.eras',
  /** The user's own switches of single tools, by server id. */
  tools: 'mcpDeck.toolSwitches',
  /** The active preset, as it was last read. */
  preset: 'mcpDeck.activePreset',
  /** What the user decided about sampling, by hash of the definition. */
  sampling: 'mcpDeck.sampling',
  /** The folders that the user chose as roots, by server id. */
  roots: 'mcpDeck.roots',
} as const;
