import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { goneDetails, serverDetails } from '../../../core/details/serverDetails.js';
import { serverOverview } from '../../../core/details/serverOverview.js';
import type { StartPlan } from '../../../core/details/startPlan.js';
import { planStart } from '../../../core/details/startPlan.js';
import { countTools } from '../../../core/present/text/toolTokens.js';
import { toolsInUse } from '../../../core/present/tree/serverTooltip.js';
import type { Tool } from '../../../core/protocol/mcp.js';
import type { ServerIdentity } from '../../../core/session/serverIdentity.js';
import type { TreeUsage } from '../../../core/stats/processMeter.js';
import { ProcessMeter } from '../../../core/stats/processMeter.js';
import type {
  ServerAction,
  ServerDetails,
  ServerFromPage,
  ServerOverview,
  ServerToPage,
} from '../../../shared/serverPage.js';
import { serverFromPageGuards } from '../../../shared/serverPage.js';
import type { ExtensionServices } from '../../ui/services.js';
import { performOnPage } from '../../ui/performFailureAction.js';
import { copyText } from '../../adapters/userMessages.js';
import { openLink } from '../../ui/openLink.js';
import { Page } from '../../ui/page.js';
import { applyChange } from './applyChange.js';
import { DiagnosisRun } from './diagnosisRun.js';

/** Minimum time between two updates of the page, in milliseconds. */
const updateIntervalMs = 250;
/**
 * Time between two measurements of the processes while the page is visible, in milliseconds. It is longer on Windows,
 * because each measurement on Windows starts a program.
 */
const measureIntervalMs = process.platform === 'win32' ? 6_000 : 2_000;
/** Maximum number of measurements in the charts. */
const maxMeasurements = 90;

/**
 * Shows one server in an editor tab: its state, its resource usage, how it is started, and its diagnosis. Measures only
 * while the tab is visible.
 */
export class ServerPanel implements Disposable {
  private readonly store = new DisposableStore();
  private readonly page: Page<ServerToPage, ServerFromPage>;
  private readonly diagnosis: DiagnosisRun;
  private meter: ProcessMeter | undefined;
  private usage: TreeUsage[] = [];
  /** The server identity whose overview was last sent to the page. Null if nothing was sent yet. */
  private sentIdentity: ServerIdentity | undefined | null = null;
  private plan: { key: string; plan: StartPlan | undefined } | undefined;
  /** The list of tools whose tokens were counted last. */
  private counted: readonly Tool[] | undefined;
  private updateTimer: NodeJS.Timeout | undefined;
  private measureTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly deck: Pick<
      ExtensionServices,
      'consent' | 'countTokens' | 'extension' | 'funnel' | 'host' | 'log' | 'settings'
    >,
    readonly panel: vscode.WebviewPanel,
    private readonly server: string,
  ) {
    panel.title = visibleLine(server, 80);
    this.diagnosis = new DiagnosisRun(deck, server, () => this.sendDiagnosis());
    this.page = this.store.add(
      new Page<ServerToPage, ServerFromPage>({
        webview: panel.webview,
        extensionUri: deck.extension.extensionUri,
        name: 'server',
        title: vscode.l10n.t('Server Details'),
        guards: serverFromPageGuards,
        log: deck.log,
        handlers: {
          notices: {
            ready: () => {
              this.page.channel.notify('show', { bundle: vscode.l10n.bundle ?? {}, server, details: this.details() });
              this.sentIdentity = null;
              this.sendOverview();
              this.sendDiagnosis();
            },
            act: ({ action }) => this.act(action),
            fix: ({ check, action }) => this.fix(check, action),
            stopDiagnosis: () => this.diagnosis.stop(),
            copyAnswer: () => this.copyAnswer(),
            openLink: ({ href }) => this.report(openLink(href, server)),
            copyDiagnosis: () =>
              this.report(this.diagnosis.text().then((text) => vscode.env.clipboard.writeText(text))),
          },
          requests: {},
        },
      }),
    );
    this.store.add(
      deck.host.servers.onDidChange((change) =>
        change.server === undefined || change.server === server ? this.changed() : undefined,
      ),
    );
    this.store.add(deck.settings.onDidChange(() => this.changed()));
    this.store.add(panel.onDidChangeViewState(() => this.visibilityChanged()));
    this.visibilityChanged();
  }

  dispose(): void {
    clearTimeout(this.updateTimer);
    clearTimeout(this.measureTimer);
    this.diagnosis.stop();
    this.store.dispose();
  }

  private visibilityChanged(): void {
    clearTimeout(this.measureTimer);
    this.measureTimer = undefined;
    if (!this.panel.visible) return;
    this.changed();
    void this.look();
  }

  /** Measures the processes, updates the page, and schedules the next measurement. */
  private async look(): Promise<void> {
    const view = this.deck.host.servers.get(this.server);
    const pid = view?.state.kind === 'running' ? view.endpoint?.pid : undefined;
    if (pid === undefined || this.meter?.leader !== pid) {
      this.usage = [];
      this.meter = pid === undefined ? undefined : new ProcessMeter(pid);
    }
    const { meter } = this;
    if (meter) {
      const usage = await meter.sample();
      if (this.meter === meter && usage.processes.length > 0)
        this.usage = [...this.usage, usage].slice(-maxMeasurements);
    }
    if (this.store.isDisposed || !this.panel.visible) return;
    this.sendDetails();
    clearTimeout(this.measureTimer);
    this.measureTimer = setTimeout(() => void this.look(), measureIntervalMs);
  }

  private changed(): void {
    this.planAgain();
    this.countAgain();
    if (this.updateTimer || !this.panel.visible) return;
    this.updateTimer = setTimeout(() => {
      this.updateTimer = undefined;
      this.sendDetails();
    }, updateIntervalMs);
  }

  private sendDetails(): void {
    if (!this.panel.visible) return;
    this.page.channel.notify('details', { details: this.details() });
    this.sendOverview();
  }

  /** Sends the overview once for each session, because it can be large. */
  private sendOverview(): void {
    const identity = this.deck.host.servers.get(this.server)?.features?.identity;
    if (identity === this.sentIdentity) return;
    this.sentIdentity = identity;
    this.page.channel.notify('overview', identity ? { overview: this.overview(identity) } : {});
  }

  private overview(identity: ServerIdentity): ServerOverview {
    return serverOverview(identity, this.deck.host.servers.secretValues(this.server));
  }

  private copyAnswer(): void {
    const identity = this.deck.host.servers.get(this.server)?.features?.identity;
    const answer = identity && this.overview(identity).answer;
    if (answer) this.report(copyText(answer.json));
  }

  private details(): ServerDetails {
    const { host, settings } = this.deck;
    const view = host.servers.get(this.server);
    if (!view) return goneDetails(this.server);
    return serverDetails(
      {
        view,
        figures: host.servers.figures(this.server),
        settings: settings.current(),
        isSet: (setting) => settings.isSet(setting),
        plan: this.plan?.plan,
        usage: this.usage,
        secrets: host.servers.secretValues(this.server),
      },
      Date.now(),
    );
  }

  /** Computes the start plan again if the definition or the state of the server has changed. */
  private planAgain(): void {
    const view = this.deck.host.servers.get(this.server);
    if (!view) return;
    const key = JSON.stringify([view.entry.definition, view.entry.source.folderPath, view.state.kind]);
    if (this.plan?.key === key) return;
    this.plan = { key, plan: this.plan?.plan };
    this.deck.host.servers
      .inspect(this.server)
      .then(planStart)
      .then((plan) => {
        if (this.plan?.key !== key || this.store.isDisposed) return;
        this.plan = { key, plan };
        this.sendDetails();
      })
      .catch((error: unknown) =>
        this.deck.log.write(
          'warn',
          `The start of "${visibleLine(this.server, 80)}" could not be inspected: ${messageOf(error)}`,
        ),
      );
  }

  /** Counts the tokens of the tools if the list has changed. If that fails, the page is shown without them. */
  private countAgain(): void {
    const view = this.deck.host.servers.get(this.server);
    const tools = view ? toolsInUse(view) : [];
    if (view?.features?.tools === this.counted || !this.panel.visible) return;
    this.counted = view?.features?.tools;
    countTools(tools, this.deck.countTokens)
      .then(() => (this.store.isDisposed ? undefined : this.sendDetails()))
      .catch((error: unknown) => this.deck.log.write('warn', messageOf(error)));
  }

  /** Runs the checks of the diagnosis, and shows each result as soon as its check ends. */
  diagnose(): Promise<void> {
    return this.diagnosis.begin();
  }

  private sendDiagnosis(): void {
    this.report(
      this.diagnosis.details().then((diagnosis) => {
        if (diagnosis && !this.store.isDisposed) this.page.channel.notify('diagnosis', { diagnosis });
      }),
    );
  }

  /** Runs the command of an action, except for the two actions of a check, which `fix` handles. */
  private act(action: ServerAction): void {
    if (action !== 'applyChange' && action !== 'openCheckedFile')
      void performOnPage(this.deck, action, { server: this.server, panel: this.panel });
  }

  /**
   * Handles a button of a check. The page sends only the ID of the check. The change to write and the file to open come
   * from the result of the check in the extension.
   */
  private fix(id: string, action: ServerAction): void {
    const { file, change } = this.diagnosis.check(id) ?? {};
    if (action === 'applyChange' && change) this.report(applyChange(this.deck, this.server, change));
    else if (action === 'openCheckedFile' && file !== undefined)
      void vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
    else this.act(action);
  }

  private report(work: PromiseLike<unknown>): void {
    work.then(undefined, (error: unknown) => this.deck.funnel.show(error, this.server));
  }
}
