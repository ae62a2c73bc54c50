/** Clients of the gateway as separate processes, built with the official SDKs (`test/support/gatewayClient.mjs`). */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import * as vscode from 'vscode';
import { deckExtension } from './host.js';

/** What *Copy Configuration* put on the clipboard. */
export interface CopiedEntry {
  type: string;
  url: string;
  headers: { Authorization: string };
}

export async function copiedEntry(): Promise<CopiedEntry> {
  const text = await vscode.env.clipboard.readText();
  return (JSON.parse(text) as { mcpServers: { 'mcp-deck': CopiedEntry } }).mcpServers['mcp-deck'];
}

type Line = {
  ready?: true;
  failed?: string;
  id?: number;
  result?: unknown;
  error?: { message: string; code?: number };
};

export class GatewayAgent {
  private readonly waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  private count = 0;

  private constructor(private readonly child: ChildProcess) {}

  /** Starts a client; resolves after its handshake. */
  static async connect(
    { url, headers }: CopiedEntry,
    era: 'legacy' | 'modern',
    name: string,
    ...more: readonly string[]
  ): Promise<GatewayAgent> {
    const script = path.join(deckExtension().extensionPath, 'test', 'support', 'gatewayClient.mjs');
    const token = headers.Authorization.replace('Bearer ', '');
    const child = spawn('node', [script, url, token, era, name, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
    const agent = new GatewayAgent(child);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The client ended with code ${code}.`)));
      readline.createInterface({ input: child.stdout }).on('line', (line) => {
        const said = JSON.parse(line) as Line;
        if (said.ready) resolve();
        else if (said.failed !== undefined) reject(new Error(said.failed));
        else agent.receive(said);
      });
    });
    return agent;
  }

  /** Sends a request; see the script for the methods. */
  ask<T = any>(method: string, params: object = {}): Promise<T> {
    const id = ++this.count;
    this.child.stdin?.write(`${JSON.stringify({ id, method, params })}\n`);
    return new Promise<T>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  end(): void {
    this.child.kill('SIGKILL');
  }

  private receive({ id = 0, result, error }: Line): void {
    const pending = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) pending?.reject(Object.assign(new Error(error.message), { code: error.code }));
    else pending?.resolve(result);
  }
}
