import { config, t } from '@vscode/l10n';
import '../page/page.css';
import '../page/splitter.css';
import '../result/result.css';
import '../form/form.css';
import '../page/panel.css';
import type { Arguments, Draft } from '../../shared/panel/formMessages.js';
import type { HistoryLine, ItemPageState, ItemView, PanelAction, ServerLine } from '../../shared/panel/itemPage.js';
import type { PageTarget } from '../../shared/panel/pageTarget.js';
import type { FromTemplatePage, ResourceUse } from '../../shared/panel/templatePage.js';
import type { FromToolPage, ToToolPage } from '../../shared/panel/toolPage.js';
import { Announcer } from '../page/announcer.js';
import { el, icon } from '../page/dom.js';
import { Host } from '../page/host.js';
import { onFindKeys } from '../result/find/findBar.js';
import { onIdleEnter, onRunKey } from '../page/runKey.js';
import { returnFocus } from '../page/returnFocus.js';
import { onSideKeys } from '../page/sideKeys.js';
import type { Shares } from '../page/splitter.js';
import { Splitter } from '../page/splitter.js';
import type { Form } from '../../shared/form/form.js';
import type { ResultModel } from '../../shared/result/resultModel.js';
import { AddressLine, resourceButtons } from './addressLine.js';
import { ArgumentsSide } from '../form/argumentsSide.js';
import type { SavedForm } from '../form/draftState.js';
import { DraftSender, formRequests, movedTo, newer } from '../form/draftState.js';
import { PanelHead } from './panelHead.js';
import { ResultSide } from './resultSide.js';

/**
 * The state that VS Code keeps: the target for the extension, and the data to redraw the page after a window reload.
 */
interface Saved extends SavedForm {
  /** The item as last received. It is kept when the server no longer offers it. */
  item?: ItemView;
  share?: number;
}

/** Size of the form in percent until the user moves the splitter. A form without arguments needs little space. */
const formShares: Shares = { wide: 40, stacked: 40 };
const bareShares: Shares = { wide: 22, stacked: 22 };
/** Before the first result, a form above the result area gets more space. */
const firstShares: Shares = { wide: 40, stacked: 70 };

/** The parts of the page that are drawn when the extension has sent the item. */
interface Drawn {
  head: PanelHead;
  side: ArgumentsSide;
  result: ResultSide;
  splitter: Splitter;
  isBare: boolean;
}

/** The page of a tool, a prompt or a resource template. */
class ItemPage {
  private drawn: Drawn | undefined;
  /** Present until the extension has sent the item. */
  private waiting: Pick<PanelHead, 'showServer'> | undefined;
  private saved: Saved | undefined;
  /** Whether `typed` was sent since the last run, or since the extension last replaced the arguments. */
  private isTyped = false;
  private readonly host = new Host<FromToolPage & FromTemplatePage, ToToolPage, Saved>({
    notices: {
      show: (state) => this.show(state),
      server: (server) => (this.drawn?.head ?? this.waiting)?.showServer(server),
      release: () => this.release(),
      result: ({ model }) => this.showResult(model),
      history: ({ runs }) => this.showHistory(runs),
      fill: ({ arguments: values }) => this.fill(values),
    },
    requests: {},
  });

  private readonly sender = new DraftSender((draft) => this.host.channel.notify('keep', { draft }));

  open(): void {
    this.saved = this.host.state;
    onFindKeys({
      open: () => this.drawn?.result.openFind() === true,
      move: (step) => this.drawn?.result.moveFind(step) === true,
    });
    onRunKey(() => {
      if (this.drawn) void this.run(this.drawn.side);
    });
    onIdleEnter(() => this.drawn?.head.showRunKey());
    onSideKeys(() => this.drawn?.result.element);
    returnFocus(() => this.drawn?.side.focus());
    this.host.channel.notify('ready', {});
  }

  private show(state: ItemPageState): void {
    // A preview tab can change to another item. Then only the size of the form is kept.
    if (this.saved && !isSameTarget(this.saved.target, state.target))
      this.saved = this.saved.share === undefined ? undefined : { target: state.target, share: this.saved.share };
    const isFirst = this.drawn === undefined;
    const before = this.saved?.item;
    const item = state.item ?? before;
    const draft = state.isGiven ? undefined : (this.drawn?.side.current ?? newer(this.saved?.draft, state.draft));
    const isOtherForm =
      item !== undefined && before !== undefined && JSON.stringify(item.form) !== JSON.stringify(before.form);
    this.keep({ target: state.target, ...(item ? { item } : {}) });
    if (!item) return this.showWaiting(state);
    // If the same item is available again after a restart, the page is only updated, so that the user's input and focus
    // are kept.
    if (this.drawn && !state.isGiven && JSON.stringify(item) === JSON.stringify(before))
      return this.update(this.drawn, state);
    this.drawn = this.draw(state, item, draft && isOtherForm ? movedTo(item.form, draft) : draft);
    this.update(this.drawn, state);
    // Focus the form, because the user opened the panel to fill it in. If the form has no field, focus the Run button,
    // or the title if a program may have opened the panel while the user types.
    if (isFirst && document.hasFocus() && !this.drawn.side.focus()) this.drawn.head.focus(state.isByUser === true);
  }

  /** Replaces the arguments. `typed` is not sent for this change, because the user did not make it. */
  private fill(values: Arguments): void {
    this.isTyped = true;
    this.drawn?.splitter.maximize(false);
    this.drawn?.side.fill(values);
    this.isTyped = false;
  }

  /** Moves the focus from a button to the title. A field keeps it, because no key in a field runs the tool. */
  private release(): void {
    if (document.activeElement?.matches('button, vscode-button') === true) this.drawn?.head.focus(false);
  }

  private showHistory(runs: readonly HistoryLine[]): void {
    this.drawn?.head.showHistory(runs);
    this.drawn?.result.showHistory(runs);
  }

  private update({ head }: Drawn, state: ItemPageState): void {
    head.showServer(state.server);
    this.showHistory(state.history);
    this.showResult(state.result);
  }

  private draw(state: ItemPageState, item: ItemView, draft: Draft | undefined): Drawn {
    config({ contents: state.bundle });
    const act = (action: PanelAction) => this.host.channel.notify('act', { action });
    // A link in the description belongs to no run, so the ID of the run is empty.
    const openLink = (href: string) =>
      this.host.channel.notify('result', { request: { type: 'openLink', id: '', href } });
    const { kind } = state.target;
    const announcer = new Announcer();
    const side: ArgumentsSide = new ArgumentsSide({
      form: item.form,
      draft,
      start: state.start,
      ...formRequests(this.host.channel, kind === 'tool' ? undefined : () => side.values),
      onChange: (draft) => {
        this.keepDraft(draft);
        if (address) this.showAddress(address, side);
      },
    });
    const use = (what: ResourceUse) => void this.use(what, side);
    const address = kind === 'template' ? new AddressLine(use) : undefined;
    if (address) this.showAddress(address, side);
    const result = new ResultSide({
      announcer,
      kind,
      ...(address ? { before: address.element } : {}),
      send: (request) => this.host.channel.notify('result', { request }),
      ...(kind === 'tool'
        ? {
            runs: {
              show: (id) => this.host.channel.notify('showRun', { id }),
              runAgain: (id) => this.host.channel.notify('runAgain', { id }),
              edit: (id) => this.host.channel.notify('useRun', { id }),
              maximize: () => splitter.maximize(!splitter.isMaximized),
            },
          }
        : {}),
    });
    const head = new PanelHead({
      kind,
      item,
      act,
      openLink,
      run: () => void this.run(side),
      cancel: () => this.host.channel.notify('cancel', {}),
      // Only tools have favorites and a history, because arguments of prompts and templates are a few short texts.
      ...(kind !== 'tool'
        ? { uses: kind === 'template' ? resourceButtons(use) : [] }
        : {
            mode: side.modes.element,
            useRun: (id) => this.host.channel.notify('useRun', { id }),
            addFavourite: () => void this.addFavourite(side),
          }),
    });
    const split = el('div', { class: 'split' });
    const isWithoutFields = isBare(item.form);
    const splitter = new Splitter(
      split,
      t('Size of the form'),
      this.saved?.share,
      isWithoutFields ? bareShares : firstShares,
      (share) => this.keep({ share }),
      kind === 'tool' ? (isMaximized) => result.showMaximized(isMaximized) : undefined,
    );
    // Shows the form in the capture phase, before the switch moves the focus to it: a hidden form cannot get the focus.
    side.modes.element.addEventListener('click', () => splitter.maximize(false), { capture: true });
    split.append(side.element, splitter.element, result.element);
    document.body.replaceChildren(el('main', { class: 'panel' }, head.element, split, announcer.element));
    return { head, side, result, splitter, isBare: isWithoutFields };
  }

  /** Shows the page before the server has provided the item. */
  private showWaiting({ bundle, server, target }: ItemPageState): void {
    config({ contents: bundle });
    const head = new PanelHead({
      kind: target.kind,
      item: { title: target.id, badges: [] },
      act: (action) => this.host.channel.notify('act', { action }),
      openLink: () => undefined,
    });
    const text = el('p', { class: 'empty' });
    const tell = (line: ServerLine) => {
      head.showServer(line);
      text.replaceChildren(
        icon(line.state === 'waiting' ? 'loading codicon-modifier-spin' : 'info'),
        line.state === 'waiting'
          ? t('The form appears when the server has started.')
          : t('The form appears when the server runs and offers this item.'),
      );
    };
    tell(server);
    this.drawn = undefined;
    this.waiting = { showServer: tell };
    document.body.replaceChildren(
      el('main', { class: 'panel' }, head.element, el('div', { class: 'side', attributes: { role: 'status' } }, text)),
    );
  }

  private async run(side: ArgumentsSide): Promise<void> {
    const values: Arguments | undefined = await side.take();
    if (!values) return this.showProblems(side);
    this.isTyped = false;
    this.host.channel.notify('run', { arguments: values });
  }

  /** Shows the form if the result is maximized. The fields of a hidden form could not receive the focus. */
  private async showProblems(side: ArgumentsSide): Promise<void> {
    const splitter = this.drawn?.splitter;
    if (splitter?.isMaximized !== true) return;
    splitter.maximize(false);
    await side.take();
  }

  private async use(use: ResourceUse, side: ArgumentsSide): Promise<void> {
    const values: Arguments | undefined = await side.take();
    if (values) this.host.channel.notify('use', { use, arguments: values });
  }

  /**
   * Shows the URI of the resource. Responses arrive in the order of the requests, so the last response is the current
   * one.
   */
  private showAddress(line: AddressLine, side: ArgumentsSide): void {
    // If there is no response, the page is about to close.
    this.host.channel.request('address', { arguments: side.values }).then(
      (address) => line.show(address),
      () => undefined,
    );
  }

  private async addFavourite(side: ArgumentsSide): Promise<void> {
    const values: Arguments | undefined = await side.take();
    if (values) this.host.channel.notify('favourite', { arguments: values });
  }

  private showResult(model: ResultModel | undefined): void {
    const { drawn } = this;
    if (!drawn) return;
    drawn.head.showRun(model?.kind === 'running');
    if (!model) drawn.splitter.maximize(false);
    drawn.result.show(model);
    drawn.splitter.suggest(drawn.isBare ? bareShares : model ? formShares : firstShares);
  }

  /** Stores the input in the state of the tab immediately, and sends it to the extension after a pause. */
  private keepDraft(draft: Draft): void {
    this.keep({ draft });
    this.sender.later(draft);
    if (this.isTyped) return;
    this.isTyped = true;
    this.host.channel.notify('typed', {});
  }

  private keep(news: Partial<Saved>): void {
    const { target } = { ...this.saved, ...news };
    if (!target) return;
    this.saved = { ...this.saved, ...news, target };
    this.host.keep(this.saved);
  }
}

function isSameTarget(a: PageTarget, b: PageTarget): boolean {
  return a.server === b.server && a.kind === b.kind && a.id === b.id;
}

function isBare({ nodes, root }: Form): boolean {
  const node = nodes[root.node];
  return node?.kind === 'object' && node.properties.length === 0 && node.more?.isDeclared !== true;
}

new ItemPage().open();
