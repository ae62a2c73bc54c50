import { visibleLine } from '../../../core/base/hostileText.js';
import type { Check, CheckId } from '../../../core/doctor/check.js';
import type { DiagnosisDetails } from '../../../shared/serverPage.js';
import type { ExtensionServices } from '../../ui/services.js';

/**
 * The diagnosis on the page of a server. The code of the checks is loaded on first use, because it needs node:https and
 * node:tls, which take long to load.
 */
export class DiagnosisRun {
  private controller: AbortController | undefined;
  private checks: readonly Check[] = [];
  private step: CheckId | undefined;
  private state: DiagnosisDetails['state'] = 'done';

  constructor(
    private readonly deck: Pick<ExtensionServices, 'host'>,
    private readonly server: string,
    private readonly onChange: () => void,
  ) {}

  /** Stops the current run, if there is one, and starts a new one. Rejects if the server is no longer configured. */
  async begin(): Promise<void> {
    this.stop();
    const { host } = this.deck;
    const controller = new AbortController();
    this.controller = controller;
    this.checks = [];
    this.step = 'configuration';
    this.state = 'running';
    this.onChange();
    const tell = (change: () => void) => {
      if (this.controller !== controller) return;
      change();
      this.onChange();
    };
    try {
      const { diagnose } = await import('../../../core/doctor/doctor.js');
      const inspection = await host.servers.inspect(this.server);
      const { checks } = await diagnose(host, this.server, inspection, {
        signal: controller.signal,
        onStep: (step) => tell(() => (this.step = step)),
        onCheck: (check) => tell(() => (this.checks = [...this.checks, check])),
      });
      tell(() => {
        this.checks = checks;
        this.state = controller.signal.aborted ? 'stopped' : 'done';
      });
    } catch (error) {
      tell(() => (this.state = 'stopped'));
      throw error;
    }
  }

  stop(): void {
    this.controller?.abort();
  }

  /** The checklist; undefined before the first run. */
  async details(): Promise<DiagnosisDetails | undefined> {
    if (!this.controller) return undefined;
    const { diagnosisDetails } = await import('../../../core/doctor/diagnosisDetails.js');
    const view = this.deck.host.servers.get(this.server);
    return diagnosisDetails({
      checks: this.checks,
      step: this.step,
      state: this.state,
      error: view?.state.kind === 'failed' ? view.state.error : undefined,
      isBuiltIn: view?.entry.source.kind === 'builtin',
    });
  }

  /** The report as text, for the clipboard. */
  async text(): Promise<string> {
    const { diagnosisText } = await import('../../../core/doctor/diagnosisText.js');
    return diagnosisText(visibleLine(this.server), { checks: this.checks });
  }

  check(id: string): Check | undefined {
    return this.checks.find((check) => check.id === id);
  }
}
