import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import { logEntry, visibleLine } from '../../core/base/hostileText.js';
import type { Log, LogLevel } from '../../core/base/log.js';
import type { ServerLog } from '../../core/host/ports.js';
import type { LoggingLevel } from '../../core/protocol/mcp.js';

/** The output channels: "MCP Deck" for the extension, and "MCP Deck: <server>" for each server. */
export class LogChannels implements Disposable {
  private readonly store = new DisposableStore();
  /** The channel of the extension itself. */
  readonly host = this.store.add(new LogChannel('MCP Deck'));
  private readonly byServer = new Map<string, LogChannel>();

  forServer(id: string): LogChannel {
    const known = this.byServer.get(id);
    if (known) return known;
    const channel = this.store.add(new LogChannel(`MCP Deck: ${visibleLine(id, 80)}`));
    this.byServer.set(id, channel);
    return channel;
  }

  dispose(): void {
    this.store.dispose();
  }
}

/**
 * An output channel. It is created with its first line, so that servers without log lines are not in the list of
 * channels.
 */
export class LogChannel implements ServerLog, Log, Disposable {
  private readonly store = new DisposableStore();
  private readonly levelChanged = this.store.add(new Emitter<void>());
  readonly onDidChangeLevel = this.levelChanged.event;
  private channel: vscode.LogOutputChannel | undefined;

  constructor(private readonly name: string) {
    this.store.add(
      vscode.env.onDidChangeLogLevel(() => {
        // Once created, a channel has its own log level, so the default level no longer affects it.
        if (!this.channel) this.levelChanged.fire();
      }),
    );
  }

  write(level: LogLevel, line: string): void {
    if (!this.store.isDisposed) this.open()[level](logEntry(line));
  }

  level(): LoggingLevel | undefined {
    return loggingLevels[this.channel?.logLevel ?? vscode.env.logLevel];
  }

  show(): void {
    this.open().show(true);
  }

  dispose(): void {
    this.store.dispose();
  }

  private open(): vscode.LogOutputChannel {
    if (this.channel) return this.channel;
    this.channel = this.store.add(vscode.window.createOutputChannel(this.name, { log: true }));
    this.store.add(this.channel.onDidChangeLogLevel(() => this.levelChanged.fire()));
    // VS Code remembers a level for each channel. It can differ from the default level, which applied before the
    // channel was created.
    if (this.channel.logLevel !== vscode.env.logLevel) this.levelChanged.fire();
    return this.channel;
  }
}

/** Maps the log level of a channel to the lowest severity that the server should send. */
const loggingLevels: Record<vscode.LogLevel, LoggingLevel | undefined> = {
  [vscode.LogLevel.Off]: undefined,
  [vscode.LogLevel.Trace]: 'debug',
  [vscode.LogLevel.Debug]: 'debug',
  [vscode.LogLevel.Info]: 'info',
  [vscode.LogLevel.Warning]: 'warning',
  [vscode.LogLevel.Error]: 'error',
};
