/** Shared by the tests of the configuration: reads a text or one server as `.vscode/mcp.json`. */
import { parseConfigText } from '../../../src/core/config/parseConfig.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';

export const source: ConfigSource = { id: 'vscode:/w', kind: 'vscode', label: '.vscode/mcp.json', folderPath: '/w' };

export const parse = (text: string) => parseConfigText(text, source);

export const parseServer = (server: unknown) => parse(JSON.stringify({ servers: { s: server } }));
