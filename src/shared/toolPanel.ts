import type { Guards } from './channel.js';
import type { Form } from './form/form.js';
import type { FormState } from './form/formState.js';
import type { ResultModel } from './result/resultModel.js';
import type { ResultRequest } from './result/resultRequest.js';
import { readResultRequest } from './result/resultRequest.js';
import { isObject } from './json.js';

/**
 * The messages between the extension and the page of the tool panel. The page belongs to one tool and cannot name
 * another one.
 */

/** Arguments as JSON values. */
export type Arguments = Record<string, unknown>;

export type ToPage = {
  notices: {
    /** The whole state. Sent as the response to `ready`, and again when the tool has changed. */
    show: PanelState;
    server: ServerLine;
    history: { runs: readonly HistoryLine[] };
    /** The result of the current or last run. Without a model, the result area is empty. */
    result: { model?: ResultModel };
    /** Replaces the values in the form, for example with those of a past run. */
    fill: { arguments: Arguments };
    /**
     * Shows the form of a request in place of the form of a tool: an elicitation form or the fields of a server
     * definition.
     */
    ask: FormRequestState;
    /** The form of a request is no longer needed. `text` is the reason. */
    over: { text: string };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromPage = {
  notices: {
    ready: Record<never, unknown>;
    /** Runs a tool, gets a prompt, opens the resource of a template, or submits the form of a request. */
    run: { arguments: Arguments };
    /** Performs another action on the resource of a template. */
    use: { use: ResourceUse; arguments: Arguments };
    /** Leaves the form of a request without submitting it. */
    leave: { way: WayOut };
    cancel: Record<never, unknown>;
    act: { action: PanelAction };
    /** Stores the current input, without secrets, for a later window. */
    keep: { draft: Draft };
    /** Stores a favorite with these arguments. The extension asks for its name. */
    favourite: { arguments: Arguments };
    /** Puts the arguments of a past run into the form. */
    useRun: { id: string };
    /** A request about the shown result. */
    result: { request: ResultRequest };
  };
  requests: {
    /** Checks the arguments and returns the problems. */
    check: { body: { arguments: unknown }; reply: Problem[] };
    /** Requests suggestions for a text field. */
    suggest: { body: Question; reply: Suggestion[] };
    /** Requests the address that a template expands to, or the problem. */
    address: { body: { arguments: Arguments }; reply: Address };
    /** Requests the selected text of the editor or the path of its file. */
    editorText: { body: { source: EditorSource }; reply: { text?: string } };
    /** Requests a path that the user picks. */
    pick: { body: { kind: PickKind }; reply: { path?: string } };
  };
};

const editorSources = ['selection', 'file'] as const;
export type EditorSource = (typeof editorSources)[number];

const resourceUses = ['openToSide', 'save', 'compare', 'copyUri', 'pin'] as const;
export type ResourceUse = (typeof resourceUses)[number];

/** The address of a resource. Safe to show as text. */
export interface Address {
  /** Empty if there is no address. */
  text: string;
  /** A complete sentence. */
  problem?: string;
}

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

/** The text in a field and the position of the field. */
export interface Question {
  text: string;
  /** The field accepts a path in the workspace. */
  isPath: boolean;
  /** The field accepts several lines. */
  isMultiline: boolean;
  /** JSON Pointer of the field. */
  path: string;
  /** All values of a prompt or template, because the server uses them to complete an argument. */
  arguments?: Arguments;
}

const panelActions = ['startServer', 'restartServer', 'reviewTrust', 'signIn', 'showLog'] as const;

export type PanelAction = (typeof panelActions)[number];

/** A problem of the input. */
export interface Problem {
  /** JSON Pointer of the value or of the missing property. Empty for the whole value. */
  path: string;
  /** Follows the name of the value in a sentence: `must be at least 5`. */
  message: string;
}

export interface PanelState {
  /** Translations by English text. Empty in English. */
  bundle: Readonly<Record<string, string>>;
  target: PageTarget;
  /** Absent if the server does not currently offer the tool. The page then keeps the last one. */
  tool?: ToolView;
  server: ServerLine;
  /** Stored input of an earlier window. */
  draft?: Draft;
  /** Newest first. */
  history: readonly HistoryLine[];
  /** Absent before the first run. */
  result?: ResultModel;
  /** Initial values of the form, unless there is a draft. Absent for an empty form. */
  start?: Arguments;
  /** `start` was just requested and takes precedence over the draft. */
  isGiven: boolean;
}

const waysOut = ['decline', 'cancel', 'openSource'] as const;

/** Actions that leave a form without submitting it: decline, cancel, or edit the underlying text. */
export type WayOut = (typeof waysOut)[number];

/** A form that the user is asked to fill in. Its texts are localized and safe to show. */
export interface FormRequestState {
  bundle: Readonly<Record<string, string>>;
  /** Identifies the stored input. */
  id: string;
  /** ID of the server. Not shown. */
  server: string;
  title: string;
  /** Small text beside the title. */
  hint?: string;
  /** The reason for the request. May have several lines. */
  message: string;
  warnings: readonly string[];
  /** Label of the submit button. */
  submit: string;
  ways: readonly { way: WayOut; text: string; tooltip: string; /** A codicon. */ icon: string }[];
  /** Whether the form can also be edited as JSON. */
  hasModes: boolean;
  form: Form;
  start: Arguments;
  draft?: Draft;
  /** Why the form is no longer needed. Absent while it is. */
  over?: string;
}

/** Unfinished input. */
export interface Draft {
  state: FormState;
  /** Present while the input is edited as JSON. */
  json?: string;
  /** Time of the input, in milliseconds since the epoch. The newer of two drafts is used. */
  at: number;
}

/** A past run in the history menu. */
export interface HistoryLine {
  id: string;
  label: string;
  detail: string;
  /** A codicon. */
  icon: string;
}

/** A tool for display, with texts that are safe to show. Prompts and resource templates are shown in the same way. */
export interface ToolView {
  /** Absent for a tool. The server completes arguments of prompts and templates. */
  kind?: 'prompt' | 'template';
  title: string;
  /** The name, if it differs from the title. */
  name?: string;
  description?: string;
  badges: readonly Badge[];
  form: Form;
}

/** A property that the server claims about its tool. */
export interface Badge {
  text: string;
  kind: 'plain' | 'warning';
  tooltip: string;
}

/** The state of the server and the available actions. */
export interface ServerLine {
  label: string;
  state: 'running' | 'waiting' | 'stopped' | 'failed';
  /** The most important information about the state. */
  text: string;
  actions: readonly { action: PanelAction; title: string }[];
}

export const fromPageGuards: Guards<FromPage> = {
  notices: {
    ready: isObject,
    run: (body): body is { arguments: Arguments } => isObject(body) && isObject(body['arguments']),
    use: (body): body is { use: ResourceUse; arguments: Arguments } =>
      isObject(body) && resourceUses.some((use) => use === body['use']) && isObject(body['arguments']),
    leave: (body): body is { way: WayOut } => isObject(body) && waysOut.some((way) => way === body['way']),
    cancel: isObject,
    act: (body): body is { action: PanelAction } =>
      isObject(body) && panelActions.some((action) => action === body['action']),
    keep: (body): body is { draft: Draft } => isObject(body) && isDraft(body['draft']),
    favourite: (body): body is { arguments: Arguments } => isObject(body) && isObject(body['arguments']),
    useRun: (body): body is { id: string } => isObject(body) && typeof body['id'] === 'string',
    result: (body): body is { request: ResultRequest } =>
      isObject(body) && readResultRequest(body['request']) !== undefined,
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
    address: (body): body is { arguments: Arguments } => isObject(body) && isObject(body['arguments']),
    editorText: (body): body is { source: EditorSource } =>
      isObject(body) && editorSources.some((source) => source === body['source']),
    pick: (body): body is { kind: PickKind } => isObject(body) && pickKinds.some((kind) => kind === body['kind']),
  },
};

/** Whether a stored value is a draft. Does not check its form state, because the form functions accept any state. */
export function isDraft(value: unknown): value is Draft {
  return (
    isObject(value) &&
    isObject(value['state']) &&
    typeof value['state']['kind'] === 'string' &&
    typeof value['at'] === 'number' &&
    (value['json'] === undefined || typeof value['json'] === 'string')
  );
}

/** The item of a page: a tool, a prompt, or the URI template of a resource, on a server. */
export interface PageTarget {
  server: string;
  tool: string;
}

/** State that the page keeps through a reload. The extension reads only the target. */
export interface SavedPage {
  target: PageTarget;
}

/** The target of a saved page. Undefined for other values. */
export function savedTarget(state: unknown): PageTarget | undefined {
  const target = isObject(state) ? state['target'] : undefined;
  if (!isObject(target) || typeof target['server'] !== 'string' || typeof target['tool'] !== 'string') return undefined;
  return { server: target['server'], tool: target['tool'] };
}
