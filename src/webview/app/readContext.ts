import type { PageContext } from '../../shared/app/pageContext.js';
import { styleVariables } from '../../shared/app/pageContext.js';

/** The part of the host context that only the page knows, for an app in `container`. */
export function readContext(container: HTMLElement): PageContext {
  const style = getComputedStyle(document.documentElement);
  const { width, height } = container.getBoundingClientRect();
  return {
    theme: themeOf(document.body),
    variables: styleVariables((name) => style.getPropertyValue(`--vscode-${name}`)),
    width: Math.floor(width),
    height: Math.floor(height),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    touch: matchMedia('(any-pointer: coarse)').matches,
    hover: matchMedia('(any-hover: hover)').matches,
  };
}

/** The kind of the current theme, which VS Code sets as a class of the body. */
export function themeOf({ classList }: HTMLElement): PageContext['theme'] {
  return classList.contains('vscode-light') || classList.contains('vscode-high-contrast-light') ? 'light' : 'dark';
}

/** Calls `onChange` when the theme or the available size has changed. Changes that occur together cause one call. */
export function watchContext(container: HTMLElement, onChange: () => void): void {
  let isWaiting = false;
  const soon = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      onChange();
    });
  };
  const themes = new MutationObserver(soon);
  themes.observe(document.body, { attributes: true, attributeFilter: ['class'] });
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
  new ResizeObserver(soon).observe(container);
}
