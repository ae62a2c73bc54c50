import type { Guards } from './channel.js';
import type { Form } from './form/form.js';
import type { FormState } from './form/formState.js';
import type { ResultModel } from './result/resultModel.js';
import type { ResultRequest } from './result/resultRequest.js';
import { readResultRequest } from './result/resultRequest.js';
import { isObject } from './json.js';

/**
 * What the extension and the tool panel's page say to each other. The page is bound to one tool; it cannot name
 * another.
 */

/** A value of JSON: what a form edits and a tool takes. */
export type Arguments = Record<string, unknown>;

export type ToPage = {
  notices: {
    /** The whole state; the answer to `ready`, and sent again when the tool itself changed. */
    show: PanelState;
    server: ServerLine;
    history: { runs: readonly HistoryLine[] };
    /** Of the run that is on its way, or was the last; absent: there is nothing to show of it. */
    result: { model?: ResultModel };
    /** Replaces what stands in the form: a run of the history, or one that somebody wants to edit. */
    fill: { arguments: Arguments };
    /** Another form stands in place of a tool's: one that a server asks for, or a server's own fields. */
    ask: FormRequestState;
    /** Nobody waits for that answer any more, and why. */
    over: { text: string };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromPage = {
  notices: {
    ready: Record<never, unknown>;
    /** Of a tool or a prompt: runs it. Of a template: opens the resource. Of a form that is asked for: submits it. */
    run: { arguments: Arguments };
    /** Of a template: something else with the resource. */
    use: { use: ResourceUse; arguments: Arguments };
    /** Of a form that is asked for: another way out of it. */
    leave: { way: WayOut };
    cancel: Record<never, unknown>;
    act: { action: PanelAction };
    /** What is typed so far, without secrets, to be brought back in another window. */
    keep: { draft: Draft };
    /** Keeps a call with these arguments under a name; the user is asked for it. */
    favourite: { arguments: Arguments };
    /** Puts the arguments of a run of the history into the form. */
    useRun: { id: string };
    /** About the result that is shown. */
    result: { request: ResultRequest };
  };
  requests: {
    /** What is wrong with the arguments. */
    check: { body: { arguments: unknown }; reply: Problem[] };
    /** What could stand in a text field. */
    suggest: { body: Question; reply: Suggestion[] };
    /** Of a template: the address that it gives, or why it gives none. */
    address: { body: { arguments: Arguments }; reply: Address };
    /** What is selected in the editor, or the path of its file. */
    editorText: { body: { source: EditorSource }; reply: { text?: string } };
    /** A path that the user picks. */
    pick: { body: { kind: PickKind }; reply: { path?: string } };
  };
};

const editorSources = ['selection', 'file'] as const;
export type EditorSource = (typeof editorSources)[number];

const resourceUses = ['openToSide', 'save', 'compare', 'copyUri', 'pin'] as const;
export type ResourceUse = (typeof resourceUses)[number];

/** Of a resource; texts are harmless. */
export interface Address {
  /** Empty where there is none. */
  text: string;
  /** A sentence. */
  problem?: string;
}

const pickKinds = ['file', 'folder', 'any'] as const;
export type PickKind = (typeof pickKinds)[number];

/** Something that could stand in a field. */
export interface Suggestion {
  value: string;
  /** One line for the list; default: the value. */
  label?: string;
  /** Where it comes from, or what it means. */
  detail?: string;
}

/** What stands in a text field, and where. */
export interface Question {
  text: string;
  /** The field takes a path of the workspace. */
  isPath: boolean;
  /** The field takes several lines. */
  isMultiline: boolean;
  /** JSON Pointer of the field. */
  path: string;
  /** Of a prompt and a template: all that is filled in, because the server completes one argument by the others. */
  arguments?: Arguments;
}

const panelActions = ['startServer', 'restartServer', 'reviewTrust', 'signIn', 'showLog'] as const;

export type PanelAction = (typeof panelActions)[number];

/** One thing to correct. */
export interface Problem {
  /** JSON Pointer of the value, or of the property that is missing; empty for the whole. */
  path: string;
  /** Completes a sentence that begins with the name of the value: `must be at least 5`. */
  message: string;
}

export interface PanelState {
  /** The window's translations by their English text; none in English. */
  bundle: Readonly<Record<string, string>>;
  target: PageTarget;
  /** Absent while the server is not there to tell: the page keeps what it was told last. */
  tool?: ToolView;
  server: ServerLine;
  /** What was typed in a window before this one. */
  draft?: Draft;
  /** Newest first. */
  history: readonly HistoryLine[];
  /** Absent before the first run. */
  result?: ResultModel;
  /** What the form starts with, unless something was typed already; absent: it is empty. */
  start?: Arguments;
  /** Somebody asked for `start` just now: it stands before what was typed. */
  isGiven: boolean;
}

const waysOut = ['decline', 'cancel', 'openSource'] as const;

/** Ways out of a form that do not submit it: no, no answer, and to the text that it stands for. */
export type WayOut = (typeof waysOut)[number];

/** A form that somebody asks the user to fill in; its texts are in the user's language and harmless. */
export interface FormRequestState {
  bundle: Readonly<Record<string, string>>;
  /** What was typed belongs to it. */
  id: string;
  /** Our name for the server; not shown. */
  server: string;
  title: string;
  /** Stands small beside the title. */
  hint?: string;
  /** Why it is asked; may have several lines. */
  message: string;
  warnings: readonly string[];
  /** What the button says that submits it. */
  submit: string;
  ways: readonly { way: WayOut; text: string; tooltip: string; /** A codicon. */ icon: string }[];
  /** Whether the form can be edited as JSON, too. */
  hasModes: boolean;
  form: Form;
  start: Arguments;
  draft?: Draft;
  /** Why nobody waits any more; absent while somebody does. */
  over?: string;
}

/** What was typed so far. */
export interface Draft {
  state: FormState;
  /** Present while JSON is edited. */
  json?: string;
  /** When it was typed, milliseconds since the epoch: the newer of two counts. */
  at: number;
}

/** A run of the history as one line of a menu. */
export interface HistoryLine {
  id: string;
  label: string;
  detail: string;
  /** A codicon. */
  icon: string;
}

/**
 * The tool as the page shows it; texts are harmless. A prompt is shown in the same way, and a template of resources.
 */
export interface ToolView {
  /** Default: a tool. Of the others the server completes what is typed. */
  kind?: 'prompt' | 'template';
  title: string;
  /** The name, where the title is another. */
  name?: string;
  description?: string;
  badges: readonly Badge[];
  form: Form;
}

/** Something that the server says of its tool. */
export interface Badge {
  text: string;
  kind: 'plain' | 'warning';
  tooltip: string;
}

/** The server's state and the ways on from it. */
export interface ServerLine {
  label: string;
  state: 'running' | 'waiting' | 'stopped' | 'failed';
  /** The one thing that matters now. */
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

/** Whether something that was kept is a draft; its state is read by functions that take any. */
export function isDraft(value: unknown): value is Draft {
  return (
    isObject(value) &&
    isObject(value['state']) &&
    typeof value['state']['kind'] === 'string' &&
    typeof value['at'] === 'number' &&
    (value['json'] === undefined || typeof value['json'] === 'string')
  );
}

/** What a page is about: the name of a tool or a prompt, or the template of an address, on a server. */
export interface PageTarget {
  server: string;
  tool: string;
}

/** What the page keeps through a reload; the extension reads only the target of it. */
export interface SavedPage {
  target: PageTarget;
}

/** The tool that a saved page was about; undefined for anything else. */
export function savedTarget(state: unknown): PageTarget | undefined {
  const target = isObject(state) ? state['target'] : undefined;
  if (!isObject(target) || typeof target['server'] !== 'string' || typeof target['tool'] !== 'string') return undefined;
  return { server: target['server'], tool: target['tool'] };
}
