/** The messages of every page with a form. */
import type { Guards } from '../channel.js';
import type { FormState } from '../form/formState.js';
import { isObject } from '../json.js';

/** Arguments as JSON values. */
export type Arguments = Record<string, unknown>;

export type FromForm = {
  notices: {
    /** The page is loaded and can receive messages. Sent again after each reload. */
    ready: Record<never, unknown>;
    /** Stores the current input without secrets, so that it is kept when the window closes or reloads. */
    keep: { draft: Draft };
  };
  requests: {
    /** Checks the arguments. The reply contains the problems. */
    check: { body: { arguments: unknown }; reply: Problem[] };
    /** Requests suggestions for a text field. */
    suggest: { body: Question; reply: Suggestion[] };
    /** Requests the selected text of the editor, or the path of the editor's file. */
    editorText: { body: { source: EditorSource }; reply: { text?: string } };
    /** Asks the user to select a path. */
    pick: { body: { kind: PickKind }; reply: { path?: string } };
  };
};

const editorSources = ['selection', 'file'] as const;
export type EditorSource = (typeof editorSources)[number];

const pickKinds = ['file', 'folder', 'any'] as const;
export type PickKind = (typeof pickKinds)[number];

/** A suggested value for a field. */
export interface Suggestion {
  value: string;
  /** The label in the list. Default: the value. */
  label?: string;
  /** The origin or meaning of the value. */
  detail?: string;
}

/** A request for suggestions: the text of a field and the position of the field. */
export interface Question {
  text: string;
  /** Whether the field accepts a path in the workspace. */
  isPath: boolean;
  /** Whether the field accepts several lines. */
  isMultiline: boolean;
  /** JSON Pointer of the field. */
  path: string;
  /** The values of all arguments of a prompt or template. The server needs them to complete one of the arguments. */
  arguments?: Arguments;
}

/** A problem of the input. */
export interface Problem {
  /** JSON Pointer of the value or of the missing property. Empty for the whole value. */
  path: string;
  /** The text that follows the name of the value in a sentence: `must be at least 5`. */
  message: string;
}

/** Unfinished input. */
export interface Draft {
  state: FormState;
  /** The JSON text; present while the input is edited as JSON. */
  json?: string;
  /** Time of the input, in milliseconds since the epoch. The newer of two drafts is used. */
  at: number;
}

/**
 * Whether a stored value is a draft. The form state in it is not checked, because the form functions accept any state.
 */
export function isDraft(value: unknown): value is Draft {
  return (
    isObject(value) &&
    isObject(value['state']) &&
    typeof value['state']['kind'] === 'string' &&
    typeof value['at'] === 'number' &&
    (value['json'] === undefined || typeof value['json'] === 'string')
  );
}

/** Whether a body contains arguments. */
export function hasArguments(body: unknown): body is { arguments: Arguments } {
  return isObject(body) && isObject(body['arguments']);
}

/** The checks of the messages from a page with a form, by name. */
export const formGuards: Guards<FromForm> = {
  notices: {
    ready: isObject,
    keep: (body): body is { draft: Draft } => isObject(body) && isDraft(body['draft']),
  },
  requests: {
    check: (body): body is { arguments: unknown } => isObject(body) && 'arguments' in body,
    suggest: (body): body is Question =>
      isObject(body) &&
      typeof body['text'] === 'string' &&
      typeof body['isPath'] === 'boolean' &&
      typeof body['isMultiline'] === 'boolean' &&
      typeof body['path'] === 'string' &&
      (body['arguments'] === undefined || isObject(body['arguments'])),
    editorText: (body): body is { source: EditorSource } =>
      isObject(body) && editorSources.some((source) => source === body['source']),
    pick: (body): body is { kind: PickKind } => isObject(body) && pickKinds.some((kind) => kind === body['kind']),
  },
};
