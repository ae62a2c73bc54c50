import { t } from '@vscode/l10n';
import { el } from '../page/dom.js';

export interface Tab {
  id: string;
  label: string;
  /** A number beside the label. If it is 0 or undefined, no number is shown. */
  badge?: number;
  /** Draws the content. Called each time the tab is selected. */
  draw(): HTMLElement;
}

let count = 0;

/** Tabs (WAI-ARIA tabs pattern; arrow keys select). */
export function drawTabs(
  tabs: readonly Tab[],
  memory: { get(): string | undefined; set(tab: string): void },
): HTMLElement {
  const group = ++count;
  const shown = tabs.find(({ id }) => id === memory.get()) ?? tabs[0];
  if (!shown) return el('div');
  const panel = el('div', {
    class: 'result-panel',
    attributes: { role: 'tabpanel', id: `result-panel-${group}`, tabindex: -1 },
  });
  const buttons = tabs.map((tab) => {
    const badge = (tab.badge ?? 0) > 0 ? el('span', { class: 'result-badge' }, String(tab.badge)) : undefined;
    return el(
      'button',
      {
        class: 'result-tab',
        attributes: { type: 'button', role: 'tab', id: `result-tab-${group}-${tab.id}`, 'aria-controls': panel.id },
        on: { click: () => choose(tab, false) },
      },
      tab.label,
      badge,
    );
  });

  function choose(tab: Tab, withFocus: boolean): void {
    memory.set(tab.id);
    draw(tab);
    if (withFocus) buttons[tabs.indexOf(tab)]?.focus();
  }

  function draw(tab: Tab): void {
    buttons.forEach((button, index) => {
      const isChosen = tabs[index] === tab;
      button.setAttribute('aria-selected', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', `result-tab-${group}-${tab.id}`);
    panel.replaceChildren(tab.draw());
  }

  const list = el(
    'div',
    { class: 'result-tabs', attributes: { role: 'tablist', 'aria-label': t('Parts of the result') } },
    ...buttons,
  );
  list.addEventListener('keydown', (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = next === undefined || at < 0 ? undefined : tabs[(next + tabs.length) % tabs.length];
    if (!tab) return;
    event.preventDefault();
    choose(tab, true);
  });
  draw(shown);
  return el('div', {}, list, panel);
}
