import { config, t } from '@vscode/l10n';
import './gallery.css';
import type {
  GalleryFromPage,
  GalleryResults,
  GalleryToPage,
  ServerKey,
  SourceLine,
} from '../../shared/galleryPage.js';
import { Announcer } from '../page/announcer.js';
import { el } from '../page/dom.js';
import { Host } from '../page/host.js';
import { onSideKeys } from '../page/sideKeys.js';
import { Splitter } from '../page/splitter.js';
import { DetailsSide } from './detailsSide.js';
import { ResultList } from './resultList.js';
import { SearchBox } from './searchBox.js';
import { SourcesBar } from './sourcesBar.js';

interface Saved {
  query?: string;
  share?: number;
}

/** Number of rows that the first search shows, and that each *Show More* adds. */
const rowsStep = 60;

/** The page *Find a Server*: the search and its results, and the details of the selected server beside them. */
class GalleryView {
  private readonly announcer = new Announcer();
  private readonly host = new Host<GalleryFromPage, GalleryToPage, Saved>({
    notices: {
      show: ({ bundle, sources, note }) => {
        config({ contents: bundle });
        this.draw(sources, note);
      },
      changed: ({ sources, note }) => {
        this.bar?.show(sources, note);
        this.sources = sources;
        void this.search(false).then(() => this.details?.refresh());
      },
      progress: ({ text }) => this.details?.setProgress(text),
      focusSearch: () => this.box?.focus(),
    },
    requests: {},
  });
  private bar: SourcesBar | undefined;
  private box: SearchBox | undefined;
  private list: ResultList | undefined;
  private details: DetailsSide | undefined;
  private sources: readonly SourceLine[] = [];
  private limit = rowsStep;
  /** Number of the latest search. Results of earlier ones are ignored. */
  private searched = 0;

  open(): void {
    this.host.channel.notify('ready', {});
  }

  private draw(sources: readonly SourceLine[], note: string | undefined): void {
    const { host } = this;
    const { channel } = host;
    this.sources = sources;
    if (this.bar) {
      this.bar.show(sources, note);
      return;
    }
    this.bar = new SourcesBar((action, place) =>
      channel.notify('act', { action, ...(place === undefined ? {} : { place }) }),
    );
    this.box = new SearchBox(host.state?.query ?? '', {
      search: (query) => {
        host.keep({ ...host.state, query });
        this.limit = rowsStep;
        void this.search(true);
      },
      toList: () => this.list?.focus(),
    });
    this.details = new DetailsSide(channel, (text) => this.announcer.say(text));
    this.list = new ResultList({
      select: (key) => void this.details?.show(key),
      enter: () => this.details?.focus(),
      toSearch: () => this.box?.focus(),
      showMore: () => {
        this.limit += rowsStep;
        void this.search(false);
      },
      act: (action) => channel.notify('act', { action }),
    });
    const split = el('div', { class: 'split gallery-split' });
    const splitter = new Splitter(
      split,
      t('Width of the list'),
      host.state?.share,
      { wide: 38, stacked: 40 },
      (share) => host.keep({ ...host.state, share }),
    );
    split.append(
      el('div', { class: 'list-side' }, this.box.element, this.bar.element, this.list.element),
      splitter.element,
      this.details.element,
    );
    document.body.replaceChildren(
      el('main', { class: 'gallery', attributes: { 'aria-label': t('Find a Server') } }, split, this.announcer.element),
    );
    onSideKeys(() => this.details?.element);
    this.bar.show(sources, note);
    this.box.focus();
    void this.search(true);
  }

  /** @param isNew whether the query is new. Otherwise, the selected server stays selected. */
  private async search(isNew: boolean): Promise<void> {
    const { box, list } = this;
    if (!box || !list) return;
    const number = ++this.searched;
    const { query } = box;
    let results: GalleryResults;
    try {
      results = await this.host.channel.request('search', { query, limit: this.limit });
    } catch {
      // The extension was reloaded, and the page is about to be closed.
      return;
    }
    if (number !== this.searched) return;
    const isWaiting = this.sources.some(({ isUpdating }) => isUpdating);
    const selected: ServerKey | undefined = list.show(results, {
      query,
      isNew,
      isWaiting,
      hasSources: this.sources.length > 0,
    });
    if (isNew && query !== '') this.announcer.say(countText(results));
    if (selected) void this.details?.show(selected);
    else if (isNew && results.rows.length === 0) this.details?.clear();
  }
}

function countText({ rows, hasMore }: GalleryResults): string {
  if (hasMore) return t('More than {0} servers found', rows.length);
  return rows.length === 1 ? t('1 server found') : t('{0} servers found', rows.length);
}

new GalleryView().open();
