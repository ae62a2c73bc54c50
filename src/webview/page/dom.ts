import '@vscode-elements/elements/dist/vscode-button/index.js';

/** Elements as an expression. Text is only ever set as text: there is no way to pass HTML. */

export type Child = Node | string | undefined | false;

export interface Props {
  class?: string;
  id?: string;
  title?: string;
  /** `aria-…`, `role`, `type` and other attributes; false and undefined leave one out. */
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Listeners by the name of their event. */
  on?: { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
}

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

/** A codicon that says nothing by itself. */
export function icon(name: string, className = ''): HTMLElement {
  return el('span', { class: `codicon codicon-${name} ${className}`.trim(), attributes: { 'aria-hidden': 'true' } });
}

/** A button that is an icon; its label is spoken and shown on hover. */
export function iconButton(name: string, label: string, onClick: (event: MouseEvent) => void): HTMLButtonElement {
  return el(
    'button',
    { class: 'icon-button', title: label, attributes: { type: 'button', 'aria-label': label }, on: { click: onClick } },
    icon(name),
  );
}

/** VS Code's button, with words and an icon before them. */
export function wordButton(
  label: string,
  onClick: () => void,
  { iconName, isSecondary = true }: { iconName?: string; isSecondary?: boolean } = {},
): HTMLElement {
  const before = iconName === undefined ? undefined : icon(iconName);
  before?.setAttribute('slot', 'content-before');
  // It acts when the key goes down: what gets the focus then must not get the character as well.
  const keepKey = (event: KeyboardEvent) => (event.key === 'Enter' || event.key === ' ') && event.preventDefault();
  return el(
    'vscode-button',
    { attributes: { secondary: isSecondary }, on: { click: onClick, keydown: keepKey } },
    before,
    label,
  );
}
