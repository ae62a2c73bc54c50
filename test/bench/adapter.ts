/**
 * The shipped core behind the interface that the benchmark's worker uses. Built as `dist/bench-adapter.js`, split into
 * the same files as the package. Limits, timeouts, checks and the era probe are on.
 */
import type { JsonSchema, LogMessage, Progress } from '../../src/core/protocol/mcp.js';
import { loadValidator } from '../../src/core/schema/loadValidator.js';
import type { SchemaValidator } from '../../src/core/schema/schemaValidator.js';
import type { SessionListener } from '../../src/core/session/codec.js';
import { McpSession } from '../../src/core/session/mcpSession.js';
import { HttpConnections } from '../../src/core/transport/http/httpConnections.js';
import { openRemote } from '../../src/core/transport/remoteTransport.js';
import { StdioTransport } from '../../src/core/transport/stdio/stdioTransport.js';
import type { Transport } from '../../src/core/transport/transport.js';

export const name = 'mcp-deck';
/** Receives notifications that arrive during a call. */
export const notifications = true;

let validator: SchemaValidator | undefined;
const connections = new HttpConnections();
const environment = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);

/** Loaded with the first output to check, and shared by all servers, as in the window. */
async function checkOutput(schema: JsonSchema, value: unknown): Promise<string[]> {
  validator ??= await loadValidator();
  return validator.check(schema, value).problems.map(({ message }) => message);
}

/** Receives the messages of a session; a session needs its listener from the start. */
interface Messages {
  listen?: (message: LogMessage) => void;
}

class Client {
  constructor(
    private readonly session: McpSession,
    private readonly messages: Messages,
  ) {}

  callTool(tool: string, args: Record<string, unknown>, options?: { onprogress?: (progress: Progress) => void }) {
    return this.session.callTool(tool, args, options?.onprogress ? { onProgress: options.onprogress } : undefined);
  }

  async listAllTools() {
    return (await this.session.listTools()).items;
  }

  onNotification(listen: (message: LogMessage) => void) {
    this.messages.listen = listen;
  }

  close() {
    return this.session.close();
  }
}

async function connect(openTransport: () => Transport) {
  const messages: Messages = {};
  const listener: SessionListener = { onLog: (message) => messages.listen?.(message) };
  return new Client(
    await McpSession.open(openTransport, { client: { name: 'mcp-deck', version: '1.0.0' }, listener, checkOutput }),
    messages,
  );
}

export const connectStdio = (command: string, args: string[]) =>
  connect(() => new StdioTransport({ command, args, env: environment, cwd: process.cwd() }));
export const connectHttp = (url: string) =>
  connect(() => openRemote({ type: 'http', url, headers: {} }, { connections }));
export const connectSse = (url: string) =>
  connect(() => openRemote({ type: 'sse', url, headers: {} }, { connections }));
export const connectWs = (url: string) => connect(() => openRemote({ type: 'ws', url, headers: {} }, { connections }));
