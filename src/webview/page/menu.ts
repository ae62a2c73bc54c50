import { el, icon, iconButton } from './dom.js';

/** One item of a menu. */
export interface MenuItem {
  label: string;
  detail?: string;
  icon?: string;
  run: () => void;
}

/**
 * A button that opens a menu. Arrow keys move in the menu; pressing Escape or moving the focus out of the menu closes
 * it.
 */
export function menuButton(label: string, items: () => readonly MenuItem[], iconName = 'ellipsis'): HTMLElement {
  const button = iconButton(iconName, label, () => (menu === undefined ? open() : close(true)));
  button.setAttribute('aria-haspopup', 'menu');
  button.setAttribute('aria-expanded', 'false');
  const holder = el('span', { class: 'menu-holder' }, button);
  let menu: HTMLElement | undefined;

  function close(returnsFocus: boolean): void {
    // The variable is cleared first, because removing the menu moves the focus out of it, and that would call this
    // function again.
    const closed = menu;
    menu = undefined;
    closed?.remove();
    button.setAttribute('aria-expanded', 'false');
    if (returnsFocus) button.focus();
  }

  function open(): void {
    const lines = items().map((item) =>
      el(
        'button',
        {
          class: 'menu-item',
          attributes: { type: 'button', role: 'menuitem', tabindex: -1 },
          on: {
            click: () => {
              close(true);
              item.run();
            },
          },
        },
        icon(item.icon ?? 'blank'),
        el('span', { class: 'menu-label' }, item.label),
        item.detail !== undefined && el('span', { class: 'menu-detail' }, item.detail),
      ),
    );
    if (lines.length === 0) return;
    menu = el('div', { class: 'menu', attributes: { role: 'menu', 'aria-label': label } }, ...lines);
    menu.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' || event.key === 'Tab') {
        event.preventDefault();
        close(true);
      }
      const now = lines.indexOf(document.activeElement as HTMLButtonElement);
      const next = { ArrowDown: now + 1, ArrowUp: now - 1 + lines.length, Home: 0, End: lines.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      lines[next % lines.length]?.focus();
    });
    menu.addEventListener('focusout', ({ relatedTarget }) => {
      if (!holder.contains(relatedTarget as Node | null)) close(false);
    });
    holder.append(menu);
    button.setAttribute('aria-expanded', 'true');
    // The menu opens above the button if there is no room below.
    menu.classList.toggle(
      'above',
      menu.getBoundingClientRect().bottom > window.innerHeight &&
        holder.getBoundingClientRect().top > menu.offsetHeight,
    );
    lines[0]?.focus();
  }

  return holder;
}
