import { t } from '@vscode/l10n';
import type { HeadAction, ServerDetails } from '../../shared/serverPage.js';
import { el, icon, wordButton } from '../page/dom.js';
import { RedrawOnChange } from './redrawOnChange.js';

const stateIcons: Readonly<Record<ServerDetails['state']['kind'], string>> = {
  running: 'circle-filled',
  busy: 'loading codicon-modifier-spin',
  waiting: 'warning',
  failed: 'error',
  stopped: 'circle-outline',
  gone: 'circle-slash',
};

/** Name, state, protocol, and actions of the server. */
export class Head {
  readonly element: HTMLElement;
  private readonly state: RedrawOnChange<ServerDetails['state']>;
  private readonly facts: RedrawOnChange<Pick<ServerDetails, 'badge'>>;
  private readonly buttons: RedrawOnChange<readonly HeadAction[]>;
  private readonly notes: RedrawOnChange<readonly string[]>;

  constructor(
    name: string,
    private readonly act: (action: HeadAction) => void,
  ) {
    this.state = new RedrawOnChange(el('span', { class: 'state' }), ({ kind, text }) => [
      icon(stateIcons[kind], `state-${kind}`),
      el('span', {}, text),
    ]);
    this.facts = new RedrawOnChange(el('span', { class: 'head-facts' }), ({ badge }) => [
      badge !== undefined && el('span', { class: 'badge' }, badge),
    ]);
    this.buttons = new RedrawOnChange(
      el('div', { class: 'buttons', attributes: { role: 'toolbar', 'aria-label': t('Actions') } }),
      (actions) => this.drawButtons(actions),
    );
    this.notes = new RedrawOnChange(el('div', { class: 'notes' }), (notes) =>
      notes.map((note) => el('p', { class: 'note' }, icon('info'), el('span', {}, note))),
    );
    this.element = el(
      'header',
      { class: 'head' },
      el('div', { class: 'head-line' }, el('h1', {}, name), this.state.element, this.facts.element),
      this.buttons.element,
      this.notes.element,
    );
  }

  show({ state, badge, actions, notes }: ServerDetails): void {
    this.state.show(state);
    this.facts.show(badge === undefined ? {} : { badge });
    this.notes.show(notes);
    // The focus is restored, because a click can replace the buttons.
    const { element } = this.buttons;
    const focused = element.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset['action']
      : undefined;
    this.buttons.show(actions);
    if (focused !== undefined && !element.contains(document.activeElement))
      (
        element.querySelector<HTMLElement>(`[data-action="${focused}"]`) ??
        element.querySelector<HTMLElement>('[data-action]')
      )?.focus();
  }

  private drawButtons(actions: readonly HeadAction[]): HTMLElement[] {
    const looks: Readonly<Record<HeadAction, { label: string; iconName: string }>> = {
      startServer: { label: t('Start'), iconName: 'play' },
      stopServer: { label: t('Stop'), iconName: 'debug-stop' },
      listAgain: { label: t('Refresh Tools, Resources, and Prompts'), iconName: 'refresh' },
      restartServer: { label: t('Restart'), iconName: 'debug-restart' },
      debugServer: { label: t('Debug'), iconName: 'debug-alt' },
      enableServer: { label: t('Enable'), iconName: 'check' },
      reviewTrust: { label: t('Review…'), iconName: 'shield' },
      signIn: { label: t('Sign In…'), iconName: 'account' },
      editServer: { label: t('Edit…'), iconName: 'edit' },
      openConfiguration: { label: t('Open Configuration'), iconName: 'go-to-file' },
      showLog: { label: t('Show Log'), iconName: 'output' },
      showTrace: { label: t('Show Trace'), iconName: 'list-flat' },
      diagnoseServer: { label: t('Diagnose'), iconName: 'pulse' },
    };
    const isFirst: ReadonlySet<HeadAction> = new Set([
      'startServer',
      'enableServer',
      'reviewTrust',
      'signIn',
      'listAgain',
    ]);
    return actions.map((action) => {
      const { label, iconName } = looks[action];
      const button = wordButton(label, () => this.act(action), { iconName, isSecondary: !isFirst.has(action) });
      button.dataset['action'] = action;
      return button;
    });
  }
}
