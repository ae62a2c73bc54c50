import { config } from '@vscode/l10n';
import '../page/page.css';
import '../page/panel.css';
import '../page/splitter.css';
import '../form/form.css';
import './sampling.css';
import type { SavedPage } from '../../shared/panel/pageTarget.js';
import type {
  FromSamplingPage,
  SamplingDraft,
  SamplingState,
  ToSamplingPage,
} from '../../shared/panel/samplingPage.js';
import { Host } from '../page/host.js';
import { SamplingView } from './samplingView.js';

/** Delay between the last keystroke and sending the input to the extension, in milliseconds. */
const pauseMs = 150;

interface Saved extends SavedPage {
  draft?: SamplingDraft;
}

/** The page of a sampling request. */
class SamplingPage {
  private view: SamplingView | undefined;
  private saved: Saved | undefined;
  private timer: number | undefined;
  private readonly host = new Host<FromSamplingPage, ToSamplingPage, Saved>({
    notices: {
      show: (state) => this.show(state),
      answer: (answer) => this.view?.take(answer),
      asking: ({ isAsking }) => this.view?.setAsking(isAsking),
      over: ({ text }) => this.view?.end(text),
    },
    requests: {},
  });

  open(): void {
    this.saved = this.host.state;
    this.host.channel.notify('ready', {});
  }

  private show(state: SamplingState): void {
    config({ contents: state.bundle });
    const { channel } = this.host;
    const { target } = state;
    const draft = newer(this.saved?.target.id === target.id ? this.saved.draft : undefined, state.draft);
    this.keep({ target, ...(draft && { draft }) });
    const isFirst = this.view === undefined;
    this.view = new SamplingView({
      state,
      draft,
      onChange: (news) => {
        this.keep({ target, draft: news });
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => channel.notify('keep', { draft: news }), pauseMs);
      },
      ask: (edits) => channel.request('ask', { edits }),
      send: (given) => channel.request('send', given),
      leave: (way) => channel.notify('leave', { way }),
    });
    document.body.replaceChildren(this.view.element);
    if (isFirst && document.hasFocus()) this.view.focus();
  }

  private keep(saved: Saved): void {
    this.saved = saved;
    this.host.keep(saved);
  }
}

/** The newer of two drafts. */
function newer(a: SamplingDraft | undefined, b: SamplingDraft | undefined): SamplingDraft | undefined {
  return a && b ? (a.at >= b.at ? a : b) : (a ?? b);
}

new SamplingPage().open();
