import '@vscode/codicons/dist/codicon.css';
import { config, t } from '@vscode/l10n';
import '../page/page.css';
import '../page/splitter.css';
import '../result/result.css';
import '../form/form.css';
import './toolPanel.css';
import type {
  Arguments,
  FormRequestState,
  Draft,
  FromPage,
  PanelState,
  ResourceUse,
  SavedPage,
  ServerLine,
  ToPage,
  ToolView,
} from '../../shared/toolPanel.js';
import { Announcer } from '../page/announcer.js';
import { el, icon } from '../page/dom.js';
import { Host } from '../page/host.js';
import { Splitter } from '../page/splitter.js';
import type { Form } from '../../shared/form/form.js';
import { valueOf, valueToForm } from '../../shared/form/formValue.js';
import type { JsonValue } from '../../shared/json.js';
import { withSecretsOf } from '../../shared/form/secrets.js';
import type { ResultModel } from '../../shared/result/resultModel.js';
import type { ArgumentsSideOptions } from './argumentsSide.js';
import { AddressLine, resourceButtons } from './addressLine.js';
import { ArgumentsSide } from './argumentsSide.js';
import { FormRequestView } from './formRequestView.js';
import { PanelHead } from './panelHead.js';
import { ResultSide } from './resultSide.js';

/**
 * State that VS Code keeps while the page is closed: the target for the extension, and the data to redraw the page.
 */
interface Saved extends SavedPage {
  /** The tool as last received. Kept when the server no longer offers it. */
  tool?: ToolView;
  draft?: Draft;
  share?: number;
}

/** Initial width of the form in percent. Smaller if the tool has no arguments. */
const formShare = 45;
const bareShare = 22;
/** Delay between the last keystroke and sending the input to the extension, in milliseconds. */
const pauseMs = 150;

/** The parts of the page, after the extension has sent the item. */
interface Drawn {
  head: PanelHead;
  side: ArgumentsSide;
  result: ResultSide;
}

class ToolPage {
  private drawn: Drawn | undefined;
  /** Present until the extension has sent the item. */
  private waiting: Pick<PanelHead, 'showServer'> | undefined;
  private asked: FormRequestView | undefined;
  private saved: Saved | undefined;
  private timer: number | undefined;
  private readonly host = new Host<FromPage, ToPage, Saved>({
    notices: {
      show: (state) => this.show(state),
      server: (server) => (this.drawn?.head ?? this.waiting)?.showServer(server),
      result: ({ model }) => this.showResult(model),
      history: ({ runs }) => this.drawn?.head.showHistory(runs),
      fill: ({ arguments: values }) => this.drawn?.side.fill(values),
      ask: (state) => this.ask(state),
      over: ({ text }) => this.asked?.end(text),
    },
    requests: {},
  });

  open(): void {
    this.saved = this.host.state;
    this.host.channel.notify('ready', {});
  }

  private show(state: PanelState): void {
    const isFirst = this.drawn === undefined;
    const before = this.saved?.tool;
    const tool = state.tool ?? before;
    const draft = state.isGiven ? undefined : (this.drawn?.side.current ?? newer(this.saved?.draft, state.draft));
    const isOtherForm =
      tool !== undefined && before !== undefined && JSON.stringify(tool.form) !== JSON.stringify(before.form);
    this.keep({ target: state.target, ...(tool ? { tool } : {}) });
    if (!tool) return this.showWaiting(state);
    // If the same tool is available again after a restart, only update the page, so that the user's input and focus are
    // kept.
    if (this.drawn && !state.isGiven && JSON.stringify(tool) === JSON.stringify(before))
      return this.update(this.drawn, state);
    this.drawn = this.draw(state, tool, draft && isOtherForm ? movedTo(tool.form, draft) : draft);
    this.update(this.drawn, state);
    // Focus the form, because the user opened the panel to fill it in.
    if (isFirst && document.hasFocus()) this.drawn.side.focus();
  }

  private ask(state: FormRequestState): void {
    config({ contents: state.bundle });
    const kept = this.saved?.target.tool === state.id ? this.saved.draft : undefined;
    const draft = newer(kept, state.draft);
    this.keep({ target: { server: state.server, tool: state.id } });
    const whole = draft && { ...draft, state: withSecretsOf(state.form, draft.state, state.start as JsonValue) };
    const side: ArgumentsSide = new ArgumentsSide({
      form: state.form,
      draft: whole,
      start: state.start,
      ...this.around(() => side.values, false),
      onChange: (news) => this.keepDraft(news),
    });
    const isFirst = this.asked === undefined;
    this.asked = new FormRequestView({
      state,
      side,
      submit: (values) => this.host.channel.notify('run', { arguments: values }),
      leave: (way) => this.host.channel.notify('leave', { way }),
    });
    document.body.replaceChildren(this.asked.element);
    if (isFirst && document.hasFocus()) side.focus();
  }

  /** Connects a form with the extension. `values` returns the current values of the form. */
  private around(values: () => Arguments, isCompleted: boolean): Pick<ArgumentsSideOptions, 'check' | 'window'> {
    const { channel } = this.host;
    return {
      check: (checked) => channel.request('check', { arguments: checked }),
      window: {
        suggest: ({ field, path }, text, { isMultiline }) =>
          channel.request('suggest', {
            text,
            isPath: field.picker !== undefined,
            isMultiline,
            path,
            ...(isCompleted ? { arguments: values() } : {}),
          }),
        editorText: async (source) => (await channel.request('editorText', { source })).text,
        pick: async (kind) => (await channel.request('pick', { kind })).path,
      },
    };
  }

  private update({ head }: Drawn, state: PanelState): void {
    head.showServer(state.server);
    head.showHistory(state.history);
    this.showResult(state.result);
  }

  private draw(state: PanelState, tool: ToolView, draft: Draft | undefined): Drawn {
    config({ contents: state.bundle });
    const act = (action: FromPage['notices']['act']['action']) => this.host.channel.notify('act', { action });
    const announcer = new Announcer();
    const side: ArgumentsSide = new ArgumentsSide({
      form: tool.form,
      draft,
      start: state.start,
      ...this.around(() => side.values, tool.kind !== undefined),
      onChange: (draft) => {
        this.keepDraft(draft);
        if (address) this.showAddress(address, side);
      },
    });
    const use = (what: ResourceUse) => void this.use(what, side);
    const address = tool.kind === 'template' ? new AddressLine(use) : undefined;
    if (address) this.showAddress(address, side);
    const result = new ResultSide({
      announcer,
      kind: tool.kind,
      ...(address ? { before: address.element } : {}),
      send: (request) => this.host.channel.notify('result', { request }),
    });
    const head = new PanelHead({
      tool,
      act,
      run: () => void this.run(side),
      cancel: () => this.host.channel.notify('cancel', {}),
      // Only tools have favorites and a history. Arguments of prompts and templates are a few short texts.
      ...(tool.kind !== undefined
        ? { uses: tool.kind === 'template' ? resourceButtons(use) : [] }
        : {
            mode: side.modes.element,
            useRun: (id) => this.host.channel.notify('useRun', { id }),
            addFavourite: () => void this.addFavourite(side),
          }),
    });
    const split = el('div', { class: 'split' });
    const splitter = new Splitter(
      split,
      t('Size of the form'),
      this.saved?.share ?? (isBare(tool.form) ? bareShare : formShare),
      (share) => this.keep({ share }),
    );
    split.append(side.element, splitter.element, result.element);
    document.body.replaceChildren(
      el(
        'main',
        { class: 'panel', on: { keydown: (event) => this.press(event, side) } },
        head.element,
        split,
        announcer.element,
      ),
    );
    return { head, side, result };
  }

  /** Shows the page before the server has provided the tool. */
  private showWaiting({ bundle, server, target }: PanelState): void {
    config({ contents: bundle });
    const head = new PanelHead({
      tool: { title: target.tool, badges: [] },
      act: (action) => this.host.channel.notify('act', { action }),
    });
    const text = el('p', { class: 'empty' });
    const tell = (line: ServerLine) => {
      head.showServer(line);
      text.replaceChildren(
        icon(line.state === 'waiting' ? 'loading codicon-modifier-spin' : 'info'),
        line.state === 'waiting'
          ? t('The form appears when the server has started.')
          : t('The form appears when the server runs.'),
      );
    };
    tell(server);
    this.drawn = undefined;
    this.waiting = { showServer: tell };
    document.body.replaceChildren(
      el('main', { class: 'panel' }, head.element, el('div', { class: 'side', attributes: { role: 'status' } }, text)),
    );
  }

  private press(event: KeyboardEvent, side: ArgumentsSide): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    void this.run(side);
  }

  private async run(side: ArgumentsSide): Promise<void> {
    const values: Arguments | undefined = await side.take();
    if (values) this.host.channel.notify('run', { arguments: values });
  }

  private async use(use: ResourceUse, side: ArgumentsSide): Promise<void> {
    const values: Arguments | undefined = await side.take();
    if (values) this.host.channel.notify('use', { use, arguments: values });
  }

  /** Shows the expanded address. Responses arrive in the order of requests, so the last one is current. */
  private showAddress(line: AddressLine, side: ArgumentsSide): void {
    // Without a response, the page is about to close.
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
    this.drawn?.head.showRun(model?.kind === 'running');
    this.drawn?.result.show(model);
  }

  /**
   * Stores the input in the state of the tab at once, and sends it to the extension in case the window closes
   * unexpectedly.
   */
  private keepDraft(draft: Draft): void {
    this.keep({ draft });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.host.channel.notify('keep', { draft }), pauseMs);
  }

  private keep(news: Partial<Saved>): void {
    const { target } = { ...this.saved, ...news };
    if (!target) return;
    this.saved = { ...this.saved, ...news, target };
    this.host.keep(this.saved);
  }
}

function isBare({ nodes, root }: Form): boolean {
  const node = nodes[root.node];
  return node?.kind === 'object' && node.properties.length === 0 && node.more?.isDeclared !== true;
}

function newer(a: Draft | undefined, b: Draft | undefined): Draft | undefined {
  return a && b ? (a.at >= b.at ? a : b) : (a ?? b);
}

/** Transfers input to a changed form. Values without a field are kept too. */
function movedTo(form: Form, draft: Draft): Draft {
  return { ...draft, state: valueToForm(form, valueOf(draft.state)) };
}

new ToolPage().open();
