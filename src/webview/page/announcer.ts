import { el } from './dom.js';

/** Says things to a screen reader without moving the focus. */
export class Announcer {
  readonly element = el('div', { class: 'spoken', attributes: { role: 'status', 'aria-live': 'polite' } });

  say(text: string): void {
    this.element.textContent = text;
  }
}
