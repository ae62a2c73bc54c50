import '@vscode-elements/elements/dist/vscode-button/index.js';

/** Creates elements with one expression. Strings are always set as text, never as HTML. */

export type Child = Node | string | undefined | false;

export interface Props {
  class?: string;
  id?: string;
  title?: string;
  /** Attributes such as `aria-…`, `role` and `type`. An attribute that is false or undefined is left out. */
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Listeners by event name. */
  on?: { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
}

/** Creates an element with its properties and children. Texts are set as text, never as HTML. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props,
  ...children: Child[]
): HTMLElementTagNameMap[K];
export function el(tag: string, props?: Props, ...children: Child[]): HTMLElement;
export function el(tag: string, props: Props = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  if (props.class !== undefined) element.className = props.class;
  if (props.id !== undefined) element.id = props.id;
  if (props.title !== undefined) element.title = props.title;
  setAttributes(element, props.attributes ?? {});
  for (const [name, listener] of Object.entries(props.on ?? {}))
    element.addEventListener(name, listener as EventListener);
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** Sets attributes, and removes those that are false or undefined. */
export function setAttributes(
  element: Element,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** A codicon that screen readers ignore. */
export function icon(name: string, className = ''): HTMLElement {
  return el('span', { class: `codicon codicon-${name} ${className}`.trim(), attributes: { 'aria-hidden': 'true' } });
}

/** An icon button. Its label is the accessible name and the tooltip. */
export function iconButton(name: string, label: string, onClick: (event: MouseEvent) => void): HTMLButtonElement {
  return el(
    'button',
    { class: 'icon-button', title: label, attributes: { type: 'button', 'aria-label': label }, on: { click: onClick } },
    icon(name),
  );
}

/** A VS Code button with a label and an optional icon. */
export function wordButton(
  label: string,
  onClick: () => void,
  { iconName, isSecondary = true }: { iconName?: string; isSecondary?: boolean } = {},
): HTMLElement {
  const before = iconName === undefined ? undefined : icon(iconName);
  before?.setAttribute('slot', 'content-before');
  // The button acts on keydown. The default is prevented, so that a newly focused field does not receive the character.
  const keepKey = (event: KeyboardEvent) => (event.key === 'Enter' || event.key === ' ') && event.preventDefault();
  return el(
    'vscode-button',
    { attributes: { secondary: isSecondary }, on: { click: onClick, keydown: keepKey } },
    before,
    label,
  );
}

/**
 * Moves the focus to an element. A new `vscode-…` element accepts the focus only after it has drawn itself. So the
 * focus is set again at that time, unless the user has moved it elsewhere.
 */
export function focusOn(element: HTMLElement & { updateComplete?: Promise<unknown> }): void {
  element.focus();
  if (document.activeElement === element || !element.updateComplete) return;
  void element.updateComplete.then(() => {
    if (document.activeElement === document.body || document.activeElement === null) element.focus();
  });
}
