import { t } from '@vscode/l10n';
import type { ServerDetails } from '../../shared/serverPage.js';
import { el } from '../page/dom.js';
import type { Child } from '../page/dom.js';
import { RedrawOnChange } from './redrawOnChange.js';
import { callDuration, uptimeText } from '../result/elapsed.js';
import { sparkline } from './sparkline.js';

/**
 * Minimum scale of the line charts: a tenth of a processor, and 16 MB. Without it, small values would fill the height
 * and look large.
 */
const leastCpu = 0.1;
const leastMemory = 16_000_000;

interface Tile {
  name: string;
  value: string;
  detail?: string;
  line?: { values: readonly number[]; atLeast: number };
}

/** The most important numbers about the server. */
export class Figures {
  readonly element: HTMLElement;
  private readonly tiles: RedrawOnChange<readonly Tile[]>;
  private readonly uptime = el('span', { class: 'tile-value' });
  private readonly starts = el('span', { class: 'tile-detail' });
  private since: number | undefined;

  constructor() {
    this.tiles = new RedrawOnChange(el('dl', { class: 'tiles' }), (tiles) => [
      this.tile(t('Uptime'), this.uptime, this.starts),
      ...tiles.map(({ name, value, detail, line }) =>
        this.tile(
          name,
          el('span', { class: 'tile-value' }, value),
          detail !== undefined && el('span', { class: 'tile-detail' }, detail),
          line && sparkline(line.values, line.atLeast),
        ),
      ),
    ]);
    this.element = el('section', { attributes: { 'aria-label': t('Statistics') } }, this.tiles.element);
    setInterval(() => this.tick(), 1_000);
  }

  show({ figures, processes }: ServerDetails): void {
    this.since = figures.runningSince;
    const details = [
      figures.failed > 0 ? t('{0} failed', figures.failed) : '',
      figures.cancelled > 0 ? t('{0} canceled', figures.cancelled) : '',
    ].filter((text) => text !== '');
    this.tiles.show([
      ...(processes
        ? [
            { name: t('CPU'), value: processes.cpu, line: { values: processes.cpuHistory, atLeast: leastCpu } },
            {
              name: t('Memory'),
              value: processes.memory,
              line: { values: processes.memoryHistory, atLeast: leastMemory },
            },
          ]
        : []),
      { name: t('Calls'), value: String(figures.calls), ...(details.length > 0 ? { detail: details.join(', ') } : {}) },
      {
        name: t('Median call'),
        value: callDuration(figures.p50Ms),
        ...(figures.p95Ms === undefined ? {} : { detail: t('95% of calls within {0}', callDuration(figures.p95Ms)) }),
      },
      {
        name: t('Messages'),
        value: String(figures.sent.messages + figures.received.messages),
        detail: `↑ ${figures.sent.text}  ↓ ${figures.received.text}`,
      },
    ]);
    this.starts.textContent = this.startsText(figures.starts, figures.crashes);
    this.tick();
  }

  private tick(): void {
    const text = this.since === undefined ? '–' : uptimeText(Date.now() - this.since);
    if (this.uptime.textContent !== text) this.uptime.textContent = text;
  }

  private startsText(starts: number, crashes: number): string {
    const texts = [
      starts === 1 ? t('1 start') : t('{0} starts', starts),
      ...(crashes === 0 ? [] : [crashes === 1 ? t('1 crash') : t('{0} crashes', crashes)]),
    ];
    return texts.join(', ');
  }

  private tile(name: string, ...content: (Child | SVGElement)[]): HTMLElement {
    return el('div', { class: 'tile' }, el('dt', {}, name), el('dd', {}, ...content));
  }
}
