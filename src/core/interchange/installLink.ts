import { isObject } from '../base/guards.js';
import { parseConfigText } from '../config/parseConfig.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import { appFormats } from './appFormats.js';
import type { PortableServer } from './portableServer.js';
import { importServers } from './importFile.js';

/** Maximum length of a link, in UTF-16 code units. A longer link is rejected. */
const maxLength = 20_000;

/** A server that a link asks to add. */
export interface InstallLink {
  server: PortableServer;
  inputs: InputDefinition[];
}

/**
 * Reads the query of a link: `name=…&config={json}`, or JSON that contains `name`, as in VS Code's
 * `vscode:mcp/install?{json}`. `config` may be the JSON in base64, as in Cursor's links. The server has the fields of
 * VS Code's files.
 */
export function readInstallLink(query: string): InstallLink | { problem: string } {
  if (query.length > maxLength) return { problem: 'It is too long.' };
  const read =
    query.trimStart().startsWith('{') || query.trimStart().startsWith('%7B')
      ? { config: decoded(query) }
      : ofParameters(new URLSearchParams(query));
  const value = jsonOf(read.config ?? '') ?? jsonOf(base64(read.config ?? ''));
  if (!isObject(value)) return { problem: 'Its "config" is not a server definition in JSON.' };
  const { name: own, inputs, ...fields } = value;
  const name = read.name ?? own;
  if (typeof name !== 'string' || name.trim() === '') return { problem: 'It does not name a server.' };
  const { servers, unusable } = importServers(appFormats.vscode, {
    path: [],
    inputs,
    servers: [{ name, raw: fields }],
  });
  const [server] = servers;
  if (!server) return { problem: unusable[0]?.reason ?? 'It contains no server.' };
  return {
    server,
    inputs: parseConfigText(JSON.stringify({ servers: {}, inputs: inputs ?? [] }), {
      id: 'link',
      kind: 'vscode',
      label: 'link',
    }).inputs,
  };
}

function ofParameters(parameters: URLSearchParams): { name?: string; config?: string } {
  const name = parameters.get('name');
  const config = parameters.get('config');
  return { ...(name === null ? {} : { name }), ...(config === null ? {} : { config }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not percent-encoded, so the percent sign is part of the JSON.
    return text;
  }
}

function base64(text: string): string {
  return /^[A-Za-z0-9+/_=-]+$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
