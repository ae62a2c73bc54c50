import { config, t } from '@vscode/l10n';
import '../page/page.css';
import '../page/splitter.css';
import '../result/result.css';
import './trace.css';
import type { TraceDetails, TraceFromPage, TraceStatus, TraceToPage } from '../../shared/tracePage.js';
import { Announcer } from '../page/announcer.js';
import { el, icon } from '../page/dom.js';
import { Host } from '../page/host.js';
import { Splitter } from '../page/splitter.js';
import { MessageSide } from './messageSide.js';
import { emptyState } from './emptyState.js';
import { FilterBar } from './filterBar.js';
import { TraceList } from './traceList.js';

interface Saved {
  share?: number;
}

/** The parts that are drawn once for each trace and then updated. */
interface Drawn {
  bar: FilterBar;
  list: TraceList;
  details: MessageSide;
  split: HTMLElement;
  note: HTMLElement;
  empty: HTMLElement;
}

class TracePage {
  private drawn: Drawn | undefined;
  private readonly announcer = new Announcer();
  private wasPaused = false;
  private readonly host = new Host<TraceFromPage, TraceToPage, Saved>({
    notices: {
      show: ({ bundle, status }) => {
        config({ contents: bundle });
        this.drawn = this.draw();
        this.update(status);
      },
      status: ({ status }) => this.update(status),
      reveal: ({ position, seq }) => this.drawn?.list.select(position, seq),
    },
    requests: {},
  });

  open(): void {
    this.host.channel.notify('ready', {});
  }

  private draw(): Drawn {
    const { host } = this;
    const split = el('div', { class: 'split' });
    const details = new MessageSide({
      copy: (seq, what, path) => host.channel.notify('copyJson', { seq, what, path }),
      goTo: (seq) => void this.goTo(seq),
      close: () => this.closeDetails(),
      resend: (seq, params) => host.channel.request('resend', { seq, params }),
      saveAsTest: (seq) => host.channel.notify('saveAsTest', { seq }),
      say: (text) => this.announcer.say(text),
    });
    const list = new TraceList({
      rows: async (from, to) => (await host.channel.request('rows', { from, to })).rows,
      open: (seq) => void this.openDetails(seq, true),
      choose: (seq) => {
        if (!details.element.hidden) void this.openDetails(seq, false);
      },
      close: () => this.closeDetails(),
      onFollow: (isFollowing) => this.drawn?.bar.showFollow(isFollowing),
    });
    const bar = new FilterBar({
      filter: (filter) => host.channel.notify('filter', { filter }),
      pause: (isPaused) => host.channel.notify('pause', { isPaused }),
      follow: (isFollowing) => list.follow(isFollowing),
      toList: () => list.focus(),
      chooseServer: () => host.channel.notify('act', { action: 'chooseTraceServer' }),
    });
    details.element.hidden = true;
    const shares = { wide: 60, stacked: 60 };
    const splitter = new Splitter(split, t('Size of the list'), host.state?.share, shares, (share) =>
      host.keep({ share }),
    );
    split.append(list.element, splitter.element, details.element);
    const note = el('p', { class: 'file-note', attributes: { role: 'status' } });
    const empty = el('div', { class: 'empty-place' });
    document.body.replaceChildren(
      el(
        'main',
        { class: 'trace' },
        el('h1', { class: 'spoken' }, t('Trace')),
        bar.element,
        note,
        split,
        empty,
        this.announcer.element,
      ),
    );
    return { bar, list, details, split, note, empty };
  }

  private update(status: TraceStatus): void {
    if (!this.drawn) return;
    const { bar, list, split, note, empty } = this.drawn;
    bar.show(status);
    showNote(note, status.source.kind === 'file' ? status.source.note : undefined);
    const words = emptyState(status, {
      act: (action) => this.host.channel.notify('act', { action }),
      clearFilter: () => bar.clear(),
    });
    split.hidden = words !== undefined;
    empty.hidden = words === undefined;
    // Unchanged content is not redrawn, because it may have the focus.
    if (words && empty.dataset['words'] !== words.key) {
      empty.dataset['words'] = words.key;
      empty.replaceChildren(words.element);
    }
    bar.element.hidden = status.source.kind === 'none' || status.held === 0;
    list.show(status);
    if (status.isPaused !== this.wasPaused) this.announcer.say(status.isPaused ? t('Paused') : t('Resumed'));
    this.wasPaused = status.isPaused;
  }

  private async openDetails(seq: number, withFocus: boolean): Promise<void> {
    const { details }: { details?: TraceDetails } = await this.host.channel.request('details', { seq });
    const { drawn } = this;
    if (!drawn || !details) return;
    drawn.details.show(details);
    drawn.split.classList.add('with-details');
    if (withFocus) drawn.details.focus();
  }

  private closeDetails(): void {
    const { drawn } = this;
    if (!drawn) return;
    drawn.details.element.hidden = true;
    drawn.split.classList.remove('with-details');
    drawn.list.focus();
  }

  /** Shows the other message of an exchange. If the filter excludes it, only its details are shown. */
  private async goTo(seq: number): Promise<void> {
    const { position } = await this.host.channel.request('find', { seq });
    if (position !== undefined) this.drawn?.list.select(position, seq);
    await this.openDetails(seq, true);
  }
}

/** Shows problems of a trace file above its rows. */
function showNote(place: HTMLElement, text: string | undefined): void {
  place.hidden = text === undefined;
  if (text !== undefined && place.textContent !== text) place.replaceChildren(icon('warning'), text);
}

new TracePage().open();
