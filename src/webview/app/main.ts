import { config, t } from '@vscode/l10n';
import '../page/page.css';
import './app.css';
import type { AppAction, AppPanelState, AppView, FromPage, ToPage } from '../../shared/app/appPage.js';
import type { PageContext } from '../../shared/app/pageContext.js';
import { Announcer } from '../page/announcer.js';
import { el, icon, iconButton, wordButton } from '../page/dom.js';
import { Host } from '../page/host.js';
import { appDocument } from './appDocument.js';
import { AppFrame } from './appFrame.js';
import { readContext, themeOf, watchContext } from './readContext.js';

/** The page around an app. Shows which server the app belongs to, and forwards its messages. */
class AppPage {
  private readonly head = el('header', { class: 'app-head' });
  private readonly notes = el('div', { class: 'app-notes' });
  private readonly body = el('div', { class: 'app-body' });
  private readonly announcer = new Announcer();
  private frame: AppFrame | undefined;
  private state: AppPanelState | undefined;
  private isFilled = false;
  private lastContext = '';
  /** The number of the frame that the user agreed to show although the browser cannot close all channels of the app. */
  private agreedTo: number | undefined;
  private readonly host = new Host<FromPage, ToPage, object>({
    notices: {
      show: (state) => this.show(state),
      fill: ({ isFilled }) => this.fill(isFilled),
      toApp: ({ text }) => this.frame?.post(text),
      handled: ({ frame, length }) => (this.frame?.number === frame ? this.frame.handled(length) : undefined),
    },
    requests: {},
  });

  open(): void {
    document.body.replaceChildren(
      el('main', { class: 'app-page' }, this.head, this.notes, this.body, this.announcer.element),
    );
    watchContext(this.body, () => this.sendContext());
    this.host.channel.notify('ready', { context: this.context() });
  }

  private fill(isFilled: boolean): void {
    if (this.state?.view.kind === 'app') this.show({ ...this.state, view: { ...this.state.view, isFilled } });
  }

  private show(state: AppPanelState): void {
    this.state = state;
    const { bundle, title, server, view, notes } = state;
    config({ contents: bundle });
    const act = (action: AppAction) => this.host.channel.notify('act', { action });
    const fill =
      view.kind === 'app' &&
      (view.isFilled
        ? iconButton('screen-normal', t('Use the Height of the App'), () => act('fill'))
        : iconButton('screen-full', t('Fill the Editor'), () => act('fill')));
    this.head.replaceChildren(
      el('h1', {}, icon('window'), title),
      el('span', { class: 'app-server' }, t('of the server {0}', server)),
      el(
        'div',
        { class: 'app-actions' },
        fill,
        iconButton('tools', t('Open Tool'), () => act('openTool')),
        iconButton('output', t('Show Log'), () => act('showLog')),
        iconButton('refresh', t('Reload App'), () => act('reload')),
      ),
    );
    this.notes.replaceChildren(...notes.map((note) => el('p', { class: 'app-note' }, icon('info'), note)));
    this.showView(view, title, act);
    this.sendContext();
  }

  private showView(view: AppView, title: string, act: (action: AppAction) => void): void {
    if (view.kind === 'app' && this.frame?.number === view.frame) return this.fit(view);
    this.frame?.close();
    this.frame = undefined;
    switch (view.kind) {
      case 'loading':
        this.body.replaceChildren(
          el('p', { class: 'app-empty' }, icon('loading codicon-modifier-spin'), t('Loading the app')),
        );
        return;
      case 'failed':
        this.body.replaceChildren(
          el(
            'div',
            { class: 'app-failed', attributes: { role: 'alert' } },
            icon('error'),
            el('span', {}, view.message),
          ),
          el(
            'div',
            { class: 'app-buttons' },
            wordButton(t('Reload App'), () => act('reload'), { iconName: 'refresh' }),
          ),
        );
        return;
      case 'ask':
        return this.ask(this.question(view, () => act('allow')));
      case 'app':
        // The guard needs Trusted Types. Without them, frames inside the app could use WebRTC.
        if (view.isClosed && !('trustedTypes' in window) && this.agreedTo !== view.frame)
          return this.ask(this.question({ domains: [], hasFrames: false }, () => this.agree(view, title)));
        this.showApp(view, t('App: {0}', title));
    }
  }

  private ask(question: HTMLElement): void {
    this.body.replaceChildren(question);
    this.announcer.say(t('This app is shown after you select "Show App".'));
  }

  /** Shows which origins the app could reach, or why this cannot be limited, and asks the user. */
  private question(
    { domains, hasFrames }: Pick<Extract<AppView, { kind: 'ask' }>, 'domains' | 'hasFrames'>,
    onAgree: () => void,
  ): HTMLElement {
    const isListed = domains.length > 0;
    const reason = isListed
      ? t('This app requests connections to other origins. It can send the data that it receives and what you type to:')
      : hasFrames
        ? t(
            'This app contains documents in frames. From a frame, it can connect to any address with WebRTC, which MCP Deck cannot prevent. It can send the data that it receives and what you type to these addresses.',
          )
        : t(
            'This browser does not support Trusted Types, so it cannot prevent an app from connecting to any address with WebRTC. The app can send the data that it receives and what you type to these addresses.',
          );
    return el(
      'section',
      { class: 'app-question', attributes: { 'aria-label': t('Before the app is shown') } },
      el('p', {}, icon('globe'), reason),
      ...(isListed
        ? [
            el('ul', {}, ...domains.map((domain) => el('li', {}, el('code', {}, domain)))),
            el('p', {}, t('With WebRTC, such an app could also connect to addresses that are not listed.')),
          ]
        : []),
      el('div', { class: 'app-buttons' }, wordButton(t('Show App'), onAgree, { isSecondary: false })),
    );
  }

  private agree(view: Extract<AppView, { kind: 'app' }>, title: string): void {
    this.agreedTo = view.frame;
    this.showApp(view, t('App: {0}', title));
  }

  private showApp(view: Extract<AppView, { kind: 'app' }>, label: string): void {
    const number = view.frame;
    const frame = new AppFrame({
      number,
      document: appDocument(view),
      label,
      onMessage: (text) => this.host.channel.notify('fromApp', { frame: number, text }),
      onTaken: (length) => this.host.channel.notify('taken', { frame: number, length }),
      onHeight: (height) => (frame.element.style.height = `${height}px`),
      onStop: (reason) => this.host.channel.notify('stopped', { frame: number, reason }),
    });
    this.frame = frame;
    this.body.replaceChildren(frame.element);
    this.fit(view);
    this.paint();
  }

  private fit({ hasBorder, isFilled }: Extract<AppView, { kind: 'app' }>): void {
    this.isFilled = isFilled;
    this.frame?.element.classList.toggle('has-border', hasBorder);
    this.frame?.element.classList.toggle('is-filled', isFilled);
  }

  /**
   * Sets the color scheme. If the frame requests dark colors and the document does not support them, the browser draws
   * the document on white. So the document is always readable.
   */
  private paint(): void {
    if (this.frame) this.frame.element.style.colorScheme = themeOf(document.body);
  }

  private context(): PageContext {
    return readContext(this.body);
  }

  private sendContext(): void {
    this.paint();
    const context = this.context();
    const text = JSON.stringify([context, this.isFilled]);
    if (text === this.lastContext) return;
    this.lastContext = text;
    this.host.channel.notify('context', { context });
  }
}

new AppPage().open();
