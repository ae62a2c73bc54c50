/** Breakpoints, and the stops of debugged programs as reported by their debug adapters. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from './host.js';

interface Frame {
  id: number;
  name: string;
  line: number;
  source?: { path?: string };
}

export interface Stop {
  session: vscode.DebugSession;
  threadId: number;
  /** Where the program stopped. */
  frame: Frame;
}

/** The messages of debug adapters that are read here. */
interface AdapterMessage {
  event?: string;
  command?: string;
  body?: { threadId?: number; breakpoint?: { verified?: boolean }; breakpoints?: { verified?: boolean }[] };
}

/** Records every stop and every debug session from its creation on. */
export class DebugStops implements vscode.Disposable {
  private readonly stops: Omit<Stop, 'frame'>[] = [];
  private readonly sessions = new Map<string, string>();
  private isBound = false;
  private readonly tracking: vscode.Disposable;

  constructor() {
    const sessions = [
      vscode.debug.onDidStartDebugSession(({ id, name }) => this.sessions.set(id, name)),
      vscode.debug.onDidTerminateDebugSession(({ id }) => this.sessions.delete(id)),
    ];
    const stops = vscode.debug.registerDebugAdapterTrackerFactory('*', {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: ({ event, command, body }: AdapterMessage) => {
          if (event === 'stopped') this.stops.push({ session, threadId: body?.threadId ?? 0 });
          const breakpoints =
            event === 'breakpoint' ? [body?.breakpoint] : command === 'setBreakpoints' ? (body?.breakpoints ?? []) : [];
          if (breakpoints.some((one) => one?.verified === true)) this.isBound = true;
        },
      }),
    });
    this.tracking = vscode.Disposable.from(stops, ...sessions);
  }

  /** The first stop that no test has read yet. */
  async next(): Promise<Stop> {
    const stop = await until('the debugger stops', () => this.stops.shift());
    const { stackFrames } = (await stop.session.customRequest('stackTrace', {
      threadId: stop.threadId,
      startFrame: 0,
      levels: 1,
    })) as { stackFrames: Frame[] };
    const [frame] = stackFrames;
    assert.ok(frame);
    return { ...stop, frame };
  }

  /** Resolves when a breakpoint is bound in the running program: with a source map, this may be after the start. */
  async bound(): Promise<void> {
    await until('a breakpoint is bound', () => this.isBound);
  }

  /** Resolves when every debug session that started has ended. */
  async noSession(): Promise<void> {
    await until('no debug session is left', () => {
      if (this.sessions.size === 0) return true;
      throw new Error(`these have not ended: ${[...this.sessions.values()].join(', ')}`);
    });
  }

  /** Discards unread stops, so that they do not reach the next test. */
  forget(): void {
    this.stops.length = 0;
    this.isBound = false;
  }

  dispose(): void {
    this.tracking.dispose();
  }
}

/** Sets a breakpoint at the line of `file` with this text; returns its number, from 1. */
export async function breakAt(file: string, text: string): Promise<number> {
  const document = await vscode.workspace.openTextDocument(file);
  const { line } = document.positionAt(document.getText().indexOf(text));
  vscode.debug.addBreakpoints([
    new vscode.SourceBreakpoint(new vscode.Location(document.uri, new vscode.Position(line, 0))),
  ]);
  return line + 1;
}

/** Continues, to the next stop if there is one. */
export async function goOn({ session, threadId }: Stop): Promise<void> {
  await session.customRequest('continue', { threadId });
}

/** Steps over the current line. */
export async function stepOver({ session, threadId }: Stop): Promise<void> {
  await session.customRequest('next', { threadId });
}

/** The value of an expression at the current line. */
export async function valueOf({ session, frame }: Stop, expression: string): Promise<string> {
  const { result } = (await session.customRequest('evaluate', { expression, frameId: frame.id, context: 'watch' })) as {
    result: string;
  };
  return result;
}
