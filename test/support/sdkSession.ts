/** Clients of the official SDKs, which use a server completely and note what they receive. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { without } from '../../src/core/base/guards.js';

type Json = Record<string, unknown>;
export type ClientEra = 'legacy' | 'modern';

const info = { name: 'sdk', version: '1' };
const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** Delivers each message in its own turn: SDK 1.x loses progress that it receives in the same turn as the answer. */
function oneForEachTurn(receive: ((message: any) => void) | undefined): (message: unknown) => void {
  let turn = Promise.resolve();
  const deliver = async (before: Promise<void>, message: unknown) => {
    await before;
    await setImmediate();
    receive?.(message);
  };
  return (message) => void (turn = deliver(turn, message));
}

/** The transport of an SDK over the standard streams of a process. */
class ProcessTransport {
  onmessage?: (message: any) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  constructor(private readonly child: ChildProcess) {}

  start(): Promise<void> {
    const { stdout } = this.child;
    const deliver = oneForEachTurn((message) => this.onmessage?.(message));
    if (stdout) createInterface({ input: stdout }).on('line', (line) => deliver(JSON.parse(line)));
    this.child.once('close', () => this.onclose?.());
    return Promise.resolve();
  }

  send(message: unknown): Promise<void> {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null) await once(this.child, 'close');
  }
}

export interface CliServer {
  child: ChildProcess;
  stderr: () => string;
}

/** Starts the command line as a server. It is ended after the test. */
export function startCli(t: TestContext, args: readonly string[], folder: string): CliServer {
  const child = spawn(process.execPath, [path.resolve('dist/cli.mjs'), ...args], { cwd: folder });
  const ended = once(child, 'close');
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  t.after(async () => {
    child.kill();
    await ended;
  });
  return { child, stderr: () => stderr };
}

/** The address and token that the command line prints with `--transport`. */
export async function httpAddress({ child, stderr }: CliServer): Promise<{ url: string; token: string }> {
  if (!child.stdout) throw new Error('There is no stdout.');
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const ended = once(child, 'close').then(() => {
    throw new Error(`The program ended: ${stderr()}`);
  });
  const [text] = await Promise.race([line, ended]);
  return JSON.parse(text) as { url: string; token: string };
}

/** What the clients of both SDKs have in common. */
interface SdkClient {
  listTools(): Promise<Json>;
  listResources(params?: object): Promise<Json>;
  callTool(...args: unknown[]): Promise<Json>;
  readResource(params: { uri: string }): Promise<Json>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<Json>;
  complete(params: object): Promise<Json>;
  close(): Promise<void>;
}

export interface SdkSession {
  client: SdkClient;
  /** Calls a tool. Returns its body, or the error. */
  call: (name: string, values?: object) => Promise<unknown>;
  /** The progress and the questions so far, which are then forgotten. */
  taken: () => Json[];
}

/** Connects a client. Its answers to forms are `answer`. */
export async function connectSdk(
  era: ClientEra,
  to: CliServer | { url: string; token: string },
  answer: () => string = () => 'Ada',
): Promise<SdkSession> {
  const events: Json[] = [];
  const note = (method: string, message: unknown) => events.push({ asked: method, message });
  const elicit = ({ params }: any) => {
    note('elicitation', params.message);
    return { action: 'accept' as const, content: { name: answer() } };
  };
  const sample = ({ params }: any) => {
    note('sampling', params.messages);
    return { role: 'assistant' as const, content: { type: 'text' as const, text: 'Something' }, model: 'sdk' };
  };
  const roots = () => {
    note('roots', undefined);
    return { roots: [{ uri: 'file:///workspace' }] };
  };
  const requestInit = 'url' in to ? { headers: { Authorization: `Bearer ${to.token}` } } : {};
  let client: SdkClient;
  if (era === 'legacy') {
    const old = new Client(info, { capabilities });
    old.setRequestHandler(ElicitRequestSchema, elicit);
    old.setRequestHandler(CreateMessageRequestSchema, sample);
    old.setRequestHandler(ListRootsRequestSchema, roots);
    const { url } = { url: undefined, ...to };
    const Http = url?.endsWith('/sse') ? SSEClientTransport : StreamableHTTPClientTransport;
    const http = url === undefined ? undefined : new Http(new URL(url), { requestInit });
    await old.connect(http ?? new ProcessTransport((to as CliServer).child));
    if (http instanceof SSEClientTransport) http.onmessage = oneForEachTurn(http.onmessage);
    client = old;
  } else {
    const latest = new ModernClient(info, { capabilities, versionNegotiation: { mode: 'auto' } });
    latest.setRequestHandler('elicitation/create', elicit);
    latest.setRequestHandler('sampling/createMessage', sample);
    latest.setRequestHandler('roots/list', roots);
    const http = 'url' in to ? new ModernTransport(new URL(to.url), { requestInit }) : undefined;
    await latest.connect(http ?? new ProcessTransport((to as CliServer).child));
    client = latest;
  }
  const onprogress = ({ progress, total, message }: any) => {
    // SDK 2.x reports the rounds of a request as progress as well.
    if (!String(message).startsWith('Fulfilling ')) events.push({ progress, total, message });
  };
  return {
    client,
    call: async (name, values = {}) => {
      const args = [{ name, arguments: values }, ...(era === 'legacy' ? [undefined] : []), { onprogress }];
      return outcome(client.callTool(...args));
    },
    taken: () => events.splice(0),
  };
}

/** The result without the fields of the protocol, or the code and text of the error. */
async function outcome(answer: Promise<Json>): Promise<unknown> {
  return answer.then(
    (result) => without(result, '_meta', 'resultType', 'ttlMs', 'cacheScope'),
    // The SDKs put the code before the message.
    (error: { code: number; message: string }) => ({
      code: error.code,
      message: error.message.replace(/^(?:MCP error -?\d+: )+/, ''),
    }),
  );
}

/** Uses the servers `interopSdk1.mjs` and `interopSdk2.mjs` completely. @returns everything that the client received. */
export async function useEverything({ client, call, taken }: SdkSession): Promise<unknown[]> {
  const tools = await client.listTools();
  const seen: unknown[] = [(tools['tools'] as { name: string }[]).map(({ name }) => name)];
  for (const [name, values] of [
    ['add', { a: 1, b: 2 }],
    ['add', { b: 40, a: 2 }],
    ['steps', { count: 3 }],
    ['fail', {}],
    ['ask', {}],
    ['sample', {}],
    ['roots', {}],
  ] as const)
    seen.push([name, await call(name, values), taken()]);
  seen.push(await outcome(client.readResource({ uri: 'test://greeting' })));
  seen.push(await outcome(client.readResource({ uri: 'test://item/12' })));
  seen.push(await outcome(client.readResource({ uri: 'test://missing' })));
  seen.push(await outcome(client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })));
  const argument = { name: 'name', value: 'A' };
  seen.push(await outcome(client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument })));
  return seen;
}
