/** The files that servers are read from, in each workspace folder. */
export const configurationFileNames = { vscode: '.vscode/mcp.json', portable: '.mcp.json' } as const;

export type ConfigurationFileKind = keyof typeof configurationFileNames;
