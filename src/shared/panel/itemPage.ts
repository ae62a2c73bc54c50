/**
 * The messages that the pages of tools, prompts and resource templates have in common. A page belongs to one item and
 * cannot refer to any other item.
 */
import type { Guards } from '../channel.js';
import type { Form } from '../form/form.js';
import { isObject } from '../json.js';
import type { ResultModel } from '../result/resultModel.js';
import type { ResultRequest } from '../result/resultRequest.js';
import { readResultRequest } from '../result/resultRequest.js';
import type { Arguments, Draft, FromForm } from './formMessages.js';
import { formGuards, hasArguments } from './formMessages.js';
import type { PageTarget } from './pageTarget.js';

export type ToItemPage = {
  notices: {
    /** The whole state. Sent as the response to `ready`, and again when the item has changed. */
    show: ItemPageState;
    server: ServerLine;
    /**
     * Moves the focus from the buttons to the title. Sent before a program shows the panel again or changes its form,
     * so that a key that the user meant for something else runs nothing.
     */
    release: Record<never, never>;
    /** The result of the current or last run. Without a model, the result area is empty. */
    result: { model?: ResultModel };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromItemPage = {
  notices: FromForm['notices'] & {
    /** Runs the tool, requests the prompt, or opens the resource of the template. */
    run: { arguments: Arguments };
    cancel: Record<never, unknown>;
    act: { action: PanelAction };
    /** The user changed the input, for the first time since the page was opened, filled or run. */
    typed: Record<never, unknown>;
    /** A request about the shown result. */
    result: { request: ResultRequest };
  };
  requests: FromForm['requests'];
};

const panelActions = [
  'startServer',
  'restartServer',
  'reviewTrust',
  'signIn',
  'showLog',
  'showSchema',
  'addToolRule',
] as const;

/** A command for the server that the page belongs to, or for its tool. */
export type PanelAction = (typeof panelActions)[number];

export interface ItemPageState {
  /** Translations by English text. Empty in English. */
  bundle: Readonly<Record<string, string>>;
  target: PageTarget;
  /** The item. Absent if the server does not currently offer it. The page then keeps the last one. */
  item?: ItemView;
  server: ServerLine;
  /** Unfinished input that was stored, possibly in an earlier window. */
  draft?: Draft;
  /** Past runs, newest first. Only tools have a history. */
  history: readonly HistoryLine[];
  /** The result of the last run; absent before the first run. */
  result?: ResultModel;
  /** Initial values of the form, used if there is no draft. Absent for an empty form. */
  start?: Arguments;
  /** Whether `start` was just requested. If so, it takes precedence over the draft. */
  isGiven: boolean;
  /**
   * Whether it is certain that the user opened the page. Otherwise, the button that runs does not get the focus,
   * because a program can open the page while the user types.
   */
  isByUser?: boolean;
}

/** A past run in the history menu and above its result. */
export interface HistoryLine {
  id: string;
  /** The arguments. */
  label: string;
  /** The outcome and the time. */
  detail: string;
  time: string;
  /** The name of a codicon. */
  icon: string;
}

/** A tool, prompt or resource template for display, with texts that are safe to show. */
export interface ItemView {
  title: string;
  /** The name, if it differs from the title. */
  name?: string;
  description?: string;
  badges: readonly Badge[];
  form: Form;
}

/** A property of a tool, as its server describes it. */
export interface Badge {
  text: string;
  kind: 'plain' | 'warning' | 'danger';
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

export const itemPageGuards: Guards<FromItemPage> = {
  notices: {
    ...formGuards.notices,
    run: hasArguments,
    cancel: isObject,
    typed: isObject,
    act: (body): body is { action: PanelAction } =>
      isObject(body) && panelActions.some((action) => action === body['action']),
    result: (body): body is { request: ResultRequest } =>
      isObject(body) && readResultRequest(body['request']) !== undefined,
  },
  requests: formGuards.requests,
};
