import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { TraceReading } from '../../../core/trace/traceFile.js';
import type { TraceLog } from '../../../core/trace/traceLog.js';
import { TraceWindow } from '../../../core/trace/traceWindow.js';
import { jsonPieces } from '../../../core/present/text/jsonPieces.js';
import { exactValueAt } from '../../../core/present/result/resultSource.js';
import { traceDetails, traceRow } from '../../../core/present/documents/traceRows.js';
import { parsed } from '../../../core/trace/traceMessage.js';
import { pathText } from '../../../shared/result/resultModel.js';
import type {
  PageFilter,
  TraceAction,
  TraceDetails,
  TraceFromPage,
  TraceRow,
  TraceSource,
  TraceStatus,
  TraceToPage,
} from '../../../shared/tracePage.js';
import { traceFromPageGuards } from '../../../shared/tracePage.js';
import type { ExtensionServices } from '../../ui/services.js';
import { userChoice } from '../../ui/invocation.js';
import type { TraceState } from '../../manifest.js';
import { commandIds } from '../../manifest.js';
import { Page } from '../../ui/page.js';
import { setContext } from '../../ui/setContext.js';
import { resend } from './resendRequest.js';

/** Minimum time between two updates of the page, in milliseconds. */
const tellEveryMs = 100;

type Shown =
  | { kind: 'none' }
  | { kind: 'server'; id: string }
  | { kind: 'file'; name: string; reading: TraceReading; secrets: readonly string[] };

const everything: PageFilter = { text: '', method: '', errorsOnly: false, direction: 'both' };

/**
 * The Trace view shows one trace at a time, of a server or from a file. This object keeps the state while the page is
 * closed and reopened.
 */
export class TraceView implements Disposable {
  private readonly store = new DisposableStore();
  private shown: Shown = { kind: 'none' };
  private window: TraceWindow | undefined;
  private filter = everything;
  private view: vscode.WebviewView | undefined;
  private page: Page<TraceToPage, TraceFromPage> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deck: Pick<ExtensionServices, 'extension' | 'funnel' | 'host' | 'log'>) {
    this.store.add(deck.host.traces.onDidChange(({ server }) => this.serverChanged(server)));
    this.store.add(deck.host.servers.onDidChange(({ server }) => this.serverChanged(server)));
    this.tellContext();
  }

  /** Called when VS Code shows the view. */
  resolve(view: vscode.WebviewView): void {
    this.page?.dispose();
    this.view = view;
    if (this.shown.kind === 'none') this.showWhatIsCaptured();
    this.page = new Page<TraceToPage, TraceFromPage>({
      webview: view.webview,
      extensionUri: this.deck.extension.extensionUri,
      name: 'trace',
      title: vscode.l10n.t('Trace'),
      guards: traceFromPageGuards,
      log: this.deck.log,
      handlers: {
        notices: {
          ready: () => this.page?.channel.notify('show', { bundle: vscode.l10n.bundle ?? {}, status: this.status() }),
          filter: ({ filter }) => this.setFilter(filter),
          pause: ({ isPaused }) => this.window?.pause(isPaused),
          act: ({ action }) => this.act(action),
          saveAsTest: ({ seq }) => this.saveAsTest(seq),
          copyJson: ({ seq, what, path }) => void this.copy(seq, what, path),
        },
        requests: {
          rows: ({ from, to }) => ({ rows: this.rows(from, to) }),
          details: ({ seq }) => this.details(seq),
          find: ({ seq }) => position(this.window?.positionOf(seq)),
          resend: ({ seq, params }) =>
            resend(this.deck, this.shown.kind === 'server' ? this.shown.id : undefined, this.log?.get(seq), params),
        },
      },
    });
    view.onDidChangeVisibility(() => this.changed());
    view.onDidDispose(() => {
      this.view = undefined;
      this.page?.dispose();
      this.page = undefined;
    });
    this.nameView();
  }

  get server(): string | undefined {
    return this.shown.kind === 'server' ? this.shown.id : undefined;
  }

  /** The shown trace, for writing to a file. */
  get exported(): { log: TraceLog; name: string; secrets: readonly string[] } | undefined {
    const { log } = this;
    if (!log || this.shown.kind === 'none') return undefined;
    return {
      log,
      name: this.shown.kind === 'server' ? this.shown.id : (this.shown.reading.server ?? this.shown.name),
      secrets: this.secrets,
    };
  }

  showServer(id: string): void {
    if (this.server !== id) this.show({ kind: 'server', id });
  }

  showFile(name: string, reading: TraceReading, secrets: readonly string[] = []): void {
    this.show({ kind: 'file', name, reading, secrets });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.window?.dispose();
    this.page?.dispose();
    this.store.dispose();
  }

  private show(shown: Shown): void {
    this.shown = shown;
    this.filter = everything;
    this.window?.dispose();
    this.window = undefined;
    this.follow();
    this.page?.channel.notify('show', { bundle: vscode.l10n.bundle ?? {}, status: this.status() });
  }

  /**
   * Shows the first server that has a trace. Used when the user opens the view directly and has not chosen a server.
   */
  private showWhatIsCaptured(): void {
    const { host } = this.deck;
    const captured = host.servers.list().find(({ id }) => host.traces.log(id) !== undefined);
    if (captured) this.show({ kind: 'server', id: captured.id });
  }

  private get log(): TraceLog | undefined {
    if (this.shown.kind === 'file') return this.shown.reading.log;
    return this.shown.kind === 'server' ? this.deck.host.traces.log(this.shown.id) : undefined;
  }

  private get secrets(): readonly string[] {
    const { shown } = this;
    if (shown.kind === 'file') return shown.secrets;
    return shown.kind === 'server' ? this.deck.host.servers.secretValues(shown.id) : [];
  }

  /** Follows the log of the shown trace, if there is one, and updates the page. */
  private follow(): void {
    const { log } = this;
    if (log && this.window?.log !== log) {
      this.window?.dispose();
      this.window = new TraceWindow(log);
      this.window.onDidChange(() => this.changed());
      this.applyFilter();
    }
    this.tellContext();
    this.nameView();
    this.changed();
  }

  private serverChanged(server: string | undefined): void {
    if (this.shown.kind === 'server' && (server === undefined || server === this.shown.id)) this.follow();
  }

  private changed(): void {
    if (this.timer || !this.page || this.view?.visible !== true) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.page?.channel.notify('status', { status: this.status() });
    }, tellEveryMs);
  }

  private status(): TraceStatus {
    const { window, log } = this;
    return {
      source: this.source(),
      first: window?.first ?? 0,
      end: window?.end ?? 0,
      held: log ? log.end - log.first : 0,
      forgotten: log?.forgotten ?? 0,
      isScanning: window?.isScanning ?? false,
      isPaused: window?.isPaused ?? false,
      waiting: window?.waiting ?? 0,
      methods: [...(log?.methods ?? [])].sort(),
      filter: this.filter,
    };
  }

  private source(): TraceSource {
    const { shown } = this;
    const { host } = this.deck;
    switch (shown.kind) {
      case 'none':
        return { kind: 'none' };
      case 'server':
        return {
          kind: 'server',
          id: shown.id,
          isCapturing: host.traces.isCapturing(shown.id),
          isRunning: host.servers.get(shown.id)?.state.kind === 'running',
        };
      case 'file': {
        const { badLines, firstBadLine = 0, isCut } = shown.reading;
        const notes = [
          badLines === 1
            ? vscode.l10n.t('Line {0} of the file is not a message.', firstBadLine)
            : badLines > 1
              ? vscode.l10n.t(
                  '{0} lines of the file are not messages. The first one is line {1}.',
                  badLines,
                  firstBadLine,
                )
              : '',
          isCut ? vscode.l10n.t('Only the beginning of the file was read.') : '',
        ].filter((note) => note !== '');
        return {
          kind: 'file',
          name: visibleLine(shown.name, 120),
          ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
        };
      }
    }
  }

  private rows(from: number, to: number): TraceRow[] {
    const { log, window } = this;
    const redactor = log?.redactor(this.secrets);
    return redactor && window ? window.rows(from, to).map((row) => traceRow(row, redactor)) : [];
  }

  private details(seq: number): { details?: TraceDetails } {
    const { log } = this;
    const entry = log?.get(seq);
    if (!log || !entry) return {};
    const redactor = log.redactor(this.secrets);
    const row = traceRow({ position: this.window?.positionOf(seq) ?? 0, entry }, redactor);
    const details = traceDetails(log, row, redactor, this.shown.kind === 'server');
    return details ? { details } : {};
  }

  private setFilter(filter: PageFilter): void {
    this.filter = filter;
    this.applyFilter();
  }

  private applyFilter(): void {
    const { direction, ...rest } = this.filter;
    this.window?.setFilter({ ...rest, ...(direction === 'both' ? {} : { direction }) });
  }

  private async copy(seq: number, what: 'path' | 'value', path: readonly (string | number)[]): Promise<void> {
    const { log } = this;
    const entry = log?.get(seq);
    if (!log || !entry) return;
    const value = exactValueAt(parsed(log.redactor(this.secrets).entry(entry)), path);
    await vscode.env.clipboard.writeText(
      what === 'path'
        ? pathText(path)
        : typeof value === 'string'
          ? value
          : value === undefined
            ? ''
            : [...jsonPieces(value)].join(''),
    );
    vscode.window.setStatusBarMessage(vscode.l10n.t('Copied'), 2_000);
  }

  private act(action: TraceAction): void {
    const { server } = this;
    void vscode.commands.executeCommand(
      commandIds[action],
      ...(server === undefined ? [] : [userChoice(commandIds[action], { server })]),
    );
  }

  private saveAsTest(message: number): void {
    const server = this.exported?.name;
    if (server === undefined) return;
    const command = commandIds.saveAsTest;
    void vscode.commands.executeCommand(command, userChoice(command, { server, message }));
  }

  private tellContext(): void {
    const { shown } = this;
    const state: TraceState =
      shown.kind === 'server' ? (this.deck.host.traces.isCapturing(shown.id) ? 'capturing' : 'stopped') : shown.kind;
    setContext('mcpDeck.traceState', state);
  }

  private nameView(): void {
    const source = this.source();
    if (this.view)
      this.view.description = source.kind === 'server' ? source.id : source.kind === 'file' ? source.name : '';
  }
}

function position(found: number | undefined): { position?: number } {
  return found === undefined ? {} : { position: found };
}
