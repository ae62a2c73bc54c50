import * as vscode from 'vscode';
import { isObject } from '../../core/base/guards.js';
import type { AuditCaller } from '../../core/consent/audit.js';
import type { NodeTarget } from '../../core/present/tree/treeNode.js';
import type { CommandArguments, CommandId, CommandName } from '../manifest.js';
import { resourceOf } from './resourceUri.js';
import type { TitleButtons } from './titleButtons.js';
import { TreeElement } from './treeElement.js';

/** The names of the fields of an object type, or of each member of a union. */
type FieldsOf<T> = T extends unknown ? keyof T : never;

/**
 * The argument object of a command as it was received. Each declared field may be missing or of any type. Handlers
 * check each field before they use it.
 */
export type ArgumentObject<Name extends CommandName = CommandName> = {
  readonly [Field in FieldsOf<NonNullable<CommandArguments[`mcpDeck.${Name}`]>>]?: unknown;
};

/**
 * How a command was called. If no field is set, the command was called without an argument, and asks the user for the
 * data that it needs. A selection from a list does not prove that the user made it: any program can move the focus in a
 * list and accept the row (`quickInput.next`, `quickInput.accept`).
 *
 * An argument specifies the subject of the command but proves nothing: VS Code creates a `Uri` or a tree element from
 * plain JSON (`$mid`, or `$treeViewId` with a handle or with "the focused line"). Inputs of tasks, keybindings,
 * `runCommands`, and tools of language models can pass such JSON. Only `isProven` shows that the user called the
 * command.
 */
export interface Invocation<Name extends CommandName = CommandName> {
  /**
   * The subject of the command: a tree node, or the server that a message was about. The command asks the user for
   * missing parts.
   */
  readonly target?: NodeTarget;
  /** The tree element, if the command was called on one. */
  readonly element?: TreeElement;
  /** All selected elements, if the view supports multiple selection. */
  readonly selection?: readonly TreeElement[];
  /** The document whose title bar contains the button. */
  readonly document?: vscode.Uri;
  /**
   * The argument object from a keybinding, a task, or another extension. The command then does not ask for missing
   * data, returns its result, and throws its errors. It still asks before it widens a permission.
   */
  readonly call?: ArgumentObject<Name>;
  /**
   * Whether the user pressed a button that this window created for this command and this item. Code outside MCP Deck
   * cannot set this field.
   */
  readonly isProven?: true;
  /** Receives the error of the command instead of a message; see `userChoice`. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * The caller of the command, for the audit log. `user` if a button proves it, and `script` if an argument object was
 * passed. Otherwise `command`, for a click, a key, or a program, which VS Code does not distinguish.
 */
export function auditCallerOf({ isProven, call }: Invocation): AuditCaller {
  if (isProven) return 'user';
  return call ? 'script' : 'command';
}

/**
 * The argument of a command when the user presses a button of MCP Deck on a page, in a document, or in the chat; see
 * `userChoice`.
 */
class UserChoice {
  constructor(
    readonly target: NodeTarget,
    /** Receives the error of the command. Default: a message shows it. */
    readonly onFailure?: (error: unknown) => void,
  ) {}
}
export type { UserChoice };

/** The commands of the choices that were not used yet. */
const unusedChoices = new WeakMap<UserChoice, CommandId>();

/**
 * Proves that the user pressed a button of MCP Deck. It is valid for one command and one use. Pass it only to places
 * whose buttons no program can press: not to a notification or a CodeLens (see `OfferedTarget`). Arguments from outside
 * this process are plain copies, and an object that another extension constructs is not among `unusedChoices`, so
 * neither proves anything.
 * @param onFailure receives the error of the command. Default: a message shows it.
 */
export function userChoice(command: CommandId, target: NodeTarget, onFailure?: (error: unknown) => void): UserChoice {
  const choice = new UserChoice(target, onFailure);
  unusedChoices.set(choice, command);
  return choice;
}

/** Returns true once, for the command that the choice was made for. */
function takeChoice(choice: UserChoice, command: CommandId): boolean {
  return unusedChoices.get(choice) === command && unusedChoices.delete(choice);
}

/**
 * The subject of a command that a notification or a CodeLens offers, passed as its argument. It proves nothing: any
 * program can press the first button of a notification with the command `notification.acceptPrimaryAction` of VS Code,
 * and run a lens with `codelens.showLensesInCurrentLine` and `quickInput.accept`.
 */
export class OfferedTarget {
  constructor(
    readonly target: NodeTarget,
    /** Receives the error of the command. Default: a message shows it. */
    readonly onFailure?: (error: unknown) => void,
  ) {}
}

/** An invocation. `failed` must be called if the command fails, so that the token of the button can be used again. */
export interface ReadInvocation {
  invocation: Invocation;
  failed?: () => void;
}

/**
 * Converts the arguments that VS Code passes to a command into an invocation. This is the only place that decides who
 * called a command.
 */
export function readInvocation(
  command: CommandId,
  [argument, selected]: readonly unknown[],
  buttons: TitleButtons,
): ReadInvocation {
  if (argument instanceof UserChoice) {
    const { target, onFailure } = argument;
    if (!takeChoice(argument, command)) return { invocation: { target } };
    return { invocation: { target, isProven: true, ...(onFailure ? { onFailure } : {}) } };
  }
  if (argument instanceof OfferedTarget) {
    const { target, onFailure } = argument;
    return { invocation: { target, ...(onFailure ? { onFailure } : {}) } };
  }
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
