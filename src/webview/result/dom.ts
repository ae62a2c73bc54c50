/** Creates elements with one expression. Strings are always set as text, never as HTML. */

export type Child = Node | string | undefined | false;

export interface Props {
  class?: string;
  title?: string;
  /** `aria-…`, `role`, `tabindex`, and other attributes. False and undefined leave an attribute out. */
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  onClick?: (event: MouseEvent) => void;
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element: HTMLElement = document.createElement(tag);
  if (props.class !== undefined) element.className = props.class;
  if (props.title !== undefined) element.title = props.title;
  for (const [name, value] of Object.entries(props.attributes ?? {})) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  if (props.onClick) element.addEventListener('click', props.onClick);
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element as HTMLElementTagNameMap[K];
}

/** A codicon that screen readers ignore. */
export function icon(name: string, className = ''): HTMLElement {
  return el('span', { class: `codicon codicon-${name} ${className}`.trim(), attributes: { 'aria-hidden': 'true' } });
}

/** A secondary button with a label. */
export function textButton(label: string, onClick: () => void, iconName?: string): HTMLButtonElement {
  return el(
    'button',
    { class: 'result-button', attributes: { type: 'button' }, onClick },
    iconName === undefined ? undefined : icon(iconName),
    label,
  );
}

/** An icon button. Its label is the accessible name and the tooltip. */
export function iconButton(name: string, label: string, onClick: () => void): HTMLButtonElement {
  return el(
    'button',
    { class: 'result-icon-button', title: label, attributes: { type: 'button', 'aria-label': label }, onClick },
    icon(name),
  );
}

/** Whether an address can be offered as a link. Only web addresses can. */
export function isWebAddress(href: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(href);
}

/** A link that asks the host to open its address. It has no `href`, because VS Code would follow it. */
export function quietLink(label: string, address: string, onOpen: () => void): HTMLAnchorElement {
  const link = el(
    'a',
    { class: 'result-link', title: address, attributes: { role: 'link', tabindex: 0 }, onClick: onOpen },
    label,
  );
  link.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onOpen();
  });
  return link;
}
