/**
 * Converts a call to commands for a POSIX shell, so that the call can be tried without MCP Deck. References to
 * variables become shell variables, which are listed first. The commands contain no values that were resolved at the
 * start of the server.
 */
import { encodeHeaderValue, headerParameters, paramHeaders } from '../../protocol/headerEncoding.js';
import { metaKeys } from '../../protocol/mcp.js';
import { Placeholders, shellQuoted, shellWord } from './placeholders.js';
import type { LinkedCall } from './runLinks.js';

/**
 * The revision in which the call is written: the revision of the server if it runs, otherwise the latest legacy
 * revision.
 */
export interface SpokenRevision {
  era: 'legacy' | 'modern';
  revision: string;
}

const client = { name: 'curl', version: '1.0.0' };

/**
 * The commands; undefined for a URL that curl cannot post to. `inputSchema` determines which arguments are sent as
 * headers as well. In `url` and `headers`, references to variables have already replaced literal secrets.
 */
export function curlText(
  call: LinkedCall,
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  { era, revision }: SpokenRevision,
  inputSchema?: unknown,
): string | undefined {
  if (!/^(https?:|\$\{)/i.test(url)) return undefined;
  const placeholders = new Placeholders();
  const address = shellWord(placeholders.parts(url));
  const own = Object.entries(headers).map(([name, value]) => header(name, shellWord(placeholders.parts(value))));
  const common = [
    ...own,
    header('Content-Type', shellQuoted('application/json')),
    header('Accept', shellQuoted('application/json, text/event-stream')),
  ];
  const commands =
    era === 'modern'
      ? [modernCall(call, revision, address, common, inputSchema)]
      : legacyCalls(call, revision, address, common);
  const needed = placeholders.lines.map((line) => `# ${line}`);
  return `${[...needed, ...commands].join('\n')}\n`;
}

function modernCall(
  { tool, arguments: values }: LinkedCall,
  revision: string,
  address: string,
  headers: readonly string[],
  inputSchema: unknown,
): string {
  const meta = {
    [metaKeys.protocolVersion]: revision,
    [metaKeys.clientInfo]: client,
    [metaKeys.clientCapabilities]: {},
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: values, _meta: meta } };
  const standard = [
    header('MCP-Protocol-Version', shellQuoted(revision)),
    header('Mcp-Method', shellQuoted('tools/call')),
    header('Mcp-Name', shellQuoted(encodeHeaderValue(tool))),
  ];
  const marked = headerParameters(inputSchema);
  const mirrored =
    'ok' in marked
      ? Object.entries(paramHeaders(marked.ok, values)).map(([name, value]) => header(name, shellQuoted(value)))
      : [];
  return post(address, [...headers, ...standard, ...mirrored], body);
}

/**
 * The commands for a server of the legacy era. The handshake comes first, because its response contains the session ID.
 */
function legacyCalls(
  { tool, arguments: values }: LinkedCall,
  revision: string,
  address: string,
  headers: readonly string[],
): string[] {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities: {}, clientInfo: client },
  };
  const session = [
    ...headers,
    header('MCP-Protocol-Version', shellQuoted(revision)),
    `-H "Mcp-Session-Id: $MCP_SESSION"`,
  ];
  return [
    `MCP_SESSION=$(${post(address, headers, initialize, ['-s', '-o', '/dev/null', '-D', '-'])} | tr -d '\\r' | sed -n 's/^[Mm][Cc][Pp]-[Ss]ession-[Ii]d: //p')`,
    post(address, session, { jsonrpc: '2.0', method: 'notifications/initialized' }, ['-s']),
    post(address, session, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: tool, arguments: values } }),
  ];
}

function post(address: string, headers: readonly string[], body: unknown, options: readonly string[] = []): string {
  return ['curl', ...options, address, ...headers, '--data-binary', shellQuoted(JSON.stringify(body))].join(' ');
}

function header(name: string, quotedValue: string): string {
  return `-H ${shellQuoted(`${name}: `)}${quotedValue}`;
}
