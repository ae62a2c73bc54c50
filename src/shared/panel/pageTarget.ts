import { isObject } from '../json.js';

/** The kinds of items that have a page. `server` is the definition of a server, or a bundle. */
export type PageKind = 'tool' | 'prompt' | 'template' | 'elicitation' | 'sampling' | 'server';

/** Identifies the item that a page belongs to. */
export interface PageTarget {
  /** Name of the server in MCP Deck. */
  server: string;
  kind: PageKind;
  /** The name of the tool or prompt, the URI template, or the ID of the request, definition, or bundle. */
  id: string;
}

/** The state of a page that is kept when the window reloads. The extension reads only the target. */
export interface SavedPage {
  target: PageTarget;
}

/** The target of a saved page of this kind. Undefined if the state has no such target. */
export function savedTarget(state: unknown, kind: PageKind): PageTarget | undefined {
  const target = isObject(state) ? state['target'] : undefined;
  if (!isObject(target)) return undefined;
  // Earlier versions saved the ID of every item in the property `tool`.
  const { server, id = target['tool'], kind: savedKind = kind } = target;
  return typeof server === 'string' && typeof id === 'string' && savedKind === kind ? { server, kind, id } : undefined;
}
