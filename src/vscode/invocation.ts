import * as vscode from 'vscode';
import { isObject } from '../core/base/guards.js';
import type { Caller } from '../core/consent/rule.js';
import type { NodeTarget } from '../core/present/treeNode.js';
import { resourceOf } from './resources/resourceUri.js';
import { TreeElement } from './tree/treeElement.js';

/** How a command was called. No field: from the palette or a button, so it asks for what it needs. */
export interface Invocation {
  /** What the user chose it on: a node, or the server that a message was about. Missing parts are asked for. */
  readonly target?: NodeTarget;
  /** The node, where there was one. */
  readonly element?: TreeElement;
  /** All nodes that were selected, where the view lets one select several. */
  readonly selection?: readonly TreeElement[];
  /** The document whose title bar held the button. */
  readonly document?: vscode.Uri;
  /** The argument object of a keybinding, a task or another extension: nobody is asked, the result is returned, errors are thrown. */
  readonly call?: Readonly<Record<string, unknown>>;
}

/** Who wants what a command does: whoever names arguments may be anybody. */
export function whoWants({ call }: Invocation): Caller {
  return call ? 'script' : 'user';
}

/**
 * Whether somebody clicked on something of ours: a line, a button of a document, a message. A command without arguments
 * is no click: it comes from the palette, and as well from a task or another extension.
 */
export function isClick({ target }: Invocation): boolean {
  return target !== undefined;
}

/** Passed as a command's argument when the user's own click named the target; a plain object is a script's. */
export class UserChoice {
  constructor(readonly target: NodeTarget) {}
}

/** Reads what VS Code hands to a command: the node, and the selection it is a part of. */
export function readInvocation(argument: unknown, selected?: unknown): Invocation {
  if (argument instanceof TreeElement) {
    const selection = Array.isArray(selected) ? selected.filter((element) => element instanceof TreeElement) : [];
    return { element: argument, target: argument.node.target, ...(selection.length > 0 ? { selection } : {}) };
  }
  if (argument instanceof vscode.Uri) return { target: resourceOf(argument) ?? {}, document: argument };
  if (argument instanceof UserChoice) return { target: argument.target };
  return isObject(argument) ? { call: argument } : {};
}
