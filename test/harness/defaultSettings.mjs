/** User settings of every window of the harness. They suppress popups and network requests. */
export const defaultSettings = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'window.commandCenter': false,
  'chat.mcp.autostart': 'never', // VS Code reads the workspace's mcp.json too
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'remote.autoForwardPorts': false, // an MCP server's port is not a web application to open
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
};
