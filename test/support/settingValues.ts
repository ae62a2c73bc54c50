import type { SettingKey } from '../../src/vscode/manifest.js';

/** For each setting: a wider and a narrower value, and whether other scopes may narrow the user's wider value. */
export const settingValues: { readonly [K in SettingKey]: { wide: unknown; narrow: unknown; mayNarrow: boolean } } = {
  'mcpDeck.servers': { wide: { a: { command: 'evil' } }, narrow: { b: { command: 'mine' } }, mayNarrow: false },
  'mcpDeck.inputs': { wide: [{ id: 'a' }], narrow: [{ id: 'b' }], mayNarrow: false },
  'mcpDeck.registries': { wide: ['https://evil.example'], narrow: [], mayNarrow: false },
  'mcpDeck.allowedServers': {
    wide: [{ serverName: 'changing' }, { serverName: 'leaning' }, { serverName: 'workspace' }],
    narrow: [{ serverName: 'changing' }],
    mayNarrow: false,
  },
  'mcpDeck.deniedServers': { wide: [], narrow: [{ serverName: 'no-server-of-this-window' }], mayNarrow: false },
  'mcpDeck.trustedAnnotations': { wide: ['bank'], narrow: ['none'], mayNarrow: false },
  'mcpDeck.sampling': { wide: { maxTokens: 9 }, narrow: { maxTokens: 1 }, mayNarrow: false },
  'mcpDeck.rules': { wide: [{ effect: 'allow' }], narrow: [{ effect: 'deny' }], mayNarrow: false },
  'mcpDeck.autoStart': { wide: 'always', narrow: 'never', mayNarrow: true },
  'mcpDeck.restartOnCrash': { wide: true, narrow: false, mayNarrow: true },
  'mcpDeck.builtInServer.enabled': { wide: true, narrow: false, mayNarrow: true },
  'mcpDeck.gateway.enabled': { wide: true, narrow: false, mayNarrow: true },
  'mcpDeck.vsCodeAgent': { wide: 'tools', narrow: 'off', mayNarrow: false },
  'mcpDeck.trace': { wide: 'on', narrow: 'off', mayNarrow: true },
  'mcpDeck.requestTimeout': { wide: 5_000, narrow: 5, mayNarrow: true },
  'mcpDeck.startTimeout': { wide: 5_000, narrow: 5, mayNarrow: true },
  'mcpDeck.stopGrace': { wide: 500, narrow: 1, mayNarrow: true },
  'mcpDeck.limits.maxMessageBytes': { wide: 1e9, narrow: 1e6, mayNarrow: true },
  'mcpDeck.limits.maxResourceBytes': { wide: 1e9, narrow: 1e6, mayNarrow: true },
};
