import { el } from './dom.js';

/** Announces text to screen readers without moving the focus. */
export class Announcer {
  readonly element = el('div', { class: 'spoken', attributes: { role: 'status', 'aria-live': 'polite' } });

  say(text: string): void {
    this.element.textContent = text;
  }
}
