import * as vscode from 'vscode';
import { isObject } from '../../core/base/guards.js';
import type { AuditCaller } from '../../core/consent/audit.js';
import type { NodeTarget } from '../../core/present/tree/treeNode.js';
import type { CommandId } from '../manifest.js';
import { resourceOf } from './resourceUri.js';
import type { TitleButtons } from './titleButtons.js';
import { TreeElement } from './treeElement.js';

/**
 * How a command was called. No field: without an argument, so it asks for what it needs.
 *
 * An argument names what the command is about and proves nothing: VS Code makes a `Uri` or one of our tree lines from plain
 * JSON (`$mid`, `$treeViewId` with a handle or with "the focused line"), which the inputs of tasks, keybindings, `runCommands`
 * and tools of language models can pass. Only `isProven` says that the user did it.
 */
export interface Invocation {
  /** What the command is about: a node, or the server that a message was about. Missing parts are asked for. */
  readonly target?: NodeTarget;
  /** The node, where there was one. */
  readonly element?: TreeElement;
  /** All nodes that were selected, where the view lets one select several. */
  readonly selection?: readonly TreeElement[];
  /** The document whose title bar held the button. */
  readonly document?: vscode.Uri;
  /**
   * The argument object of a keybinding, a task or another extension: nobody is asked, the result is returned, errors
   * are thrown.
   */
  readonly call?: Readonly<Record<string, unknown>>;
  /**
   * The user pressed a button that this window drew for this command and this item. Nothing that arrives from outside
   * of our own code can set it.
   */
  readonly isProven?: true;
}

/**
 * Who wants what a command does: the user where that is proven, `script` where an argument object was passed, else `command`:
 * a click, a key or a program, which VS Code does not tell apart.
 */
export function whoWants({ isProven, call }: Invocation): AuditCaller {
  if (isProven) return 'user';
  return call ? 'script' : 'command';
}

/**
 * Whether an argument that proves nothing names what the command is about. Without one, the user picks it from a list
 * and so decides.
 */
export function isNamedUnproven({ isProven, call, target, document }: Invocation): boolean {
  return isProven !== true && (call !== undefined || target !== undefined || document !== undefined);
}

/**
 * Passed by our own code as a command's argument when the user pressed a button of ours. It is good for one command and one
 * use. It is an object of this process: what comes from outside is a copy, and no instance of this class.
 */
export class UserChoice {
  private isUsed = false;

  constructor(
    readonly command: CommandId,
    readonly target: NodeTarget,
  ) {}

  /** True the first time that its command takes it. */
  take(command: CommandId): boolean {
    if (this.isUsed || command !== this.command) return false;
    this.isUsed = true;
    return true;
  }
}

/** An invocation, and what happens when its command failed: a token that it used can be used again. */
export interface ReadInvocation {
  invocation: Invocation;
  failed?: () => void;
}

/**
 * The one place that decides who calls a command: reads what VS Code hands to it, the item and the selection that it
 * is a part of.
 */
export function readInvocation(
  command: CommandId,
  [argument, selected]: readonly unknown[],
  buttons: TitleButtons,
): ReadInvocation {
  if (argument instanceof UserChoice)
    return { invocation: { target: argument.target, ...(argument.take(command) ? { isProven: true } : {}) } };
  if (argument instanceof TreeElement) {
    const selection = Array.isArray(selected) ? selected.filter((element) => element instanceof TreeElement) : [];
    return {
      invocation: { element: argument, target: argument.node.target, ...(selection.length > 0 ? { selection } : {}) },
    };
  }
  if (argument instanceof vscode.Uri) {
    const claim = buttons.claim(argument, command);
    if (claim)
      return {
        invocation: { target: claim.target, document: argument, isProven: true },
        failed: () => claim.giveBack(),
      };
    return { invocation: { target: resourceOf(argument) ?? {}, document: argument } };
  }
  return { invocation: isObject(argument) ? { call: argument } : {} };
}
