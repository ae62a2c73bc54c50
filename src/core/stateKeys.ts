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
} as const;
