import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { MessageRecording, Traces } from '../../../core/trace/traces.js';
import type { TraceLimits } from '../../../core/trace/traceLog.js';
import { commandIds } from '../../manifest.js';

/** The recordings of this window that are running. An item in the status bar names their servers and stops them. */
export class RunningRecordings implements Disposable {
  private readonly store = new DisposableStore();
  private readonly item = this.store.add(
    vscode.window.createStatusBarItem('mcpDeck.recording', vscode.StatusBarAlignment.Left),
  );
  private readonly running = new Map<string, MessageRecording>();

  constructor(private readonly traces: Traces) {
    this.item.name = vscode.l10n.t('MCP Deck: Recording');
    this.item.command = commandIds.stopRecording;
  }

  get(server: string): MessageRecording | undefined {
    return this.running.get(server);
  }

  /** Starts to record the messages of a server. The server must not be recorded already. */
  start(server: string, limits: TraceLimits): void {
    this.running.set(server, this.traces.record(server, limits));
    this.draw();
  }

  /** Stops a recording. Its messages are lost unless the caller has already written them. */
  stop(server: string): void {
    const recording = this.running.get(server);
    if (!recording) return;
    this.running.delete(server);
    recording.dispose();
    this.draw();
  }

  dispose(): void {
    for (const server of [...this.running.keys()]) this.stop(server);
    this.store.dispose();
  }

  private draw(): void {
    const servers = [...this.running.keys()].map((server) => visibleName(server, 40));
    if (servers.length === 0) {
      this.item.hide();
      return;
    }
    const text = vscode.l10n.t('Recording {0}', servers.join(', '));
    this.item.text = `$(record) ${text}`;
    this.item.tooltip = vscode.l10n.t('Stop the recording, and save it');
    this.item.accessibilityInformation = { label: text };
    this.item.show();
  }
}
