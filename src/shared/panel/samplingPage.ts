/** The messages between the extension and the page of a sampling request. */
import type { Guards } from '../channel.js';
import { isObject } from '../json.js';
import type { PageTarget } from './pageTarget.js';

export type ToSamplingPage = {
  notices: {
    /** Shows the request. Sent as the response to `ready`. */
    show: SamplingState;
    /** A model answered. The user reviews the answer before the server receives it. */
    answer: SamplingAnswer;
    /** A model started or stopped working. It may have stopped without an answer. */
    asking: { isAsking: boolean };
    /** The request ended. `text` is the reason. */
    over: { text: string };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromSamplingPage = {
  notices: {
    /** The page is loaded and can receive messages. Sent again after each reload. */
    ready: Record<never, unknown>;
    /** Stores the current input, so that it is kept when the window closes or reloads. */
    keep: { draft: SamplingDraft };
    /** Ends the request without an answer. */
    leave: { way: SamplingWay };
  };
  requests: {
    /** Sends the edited request to a language model. */
    ask: { body: { edits: PartEdit[] }; reply: SamplingReply };
    /**
     * Sends the answer to the server. `answer` is the ID of the model's answer that the user edited. It is absent if
     * the user wrote the answer.
     */
    send: { body: { edits: PartEdit[]; answer?: string }; reply: SamplingReply };
  };
};

const ways = ['decline', 'cancel'] as const;
export type SamplingWay = (typeof ways)[number];

/**
 * The reply to `ask` and `send`. Contains the problem that the user must correct first. Empty if the action succeeded,
 * or if its failure is reported in another way.
 */
export interface SamplingReply {
  problem?: string;
}

/** One part of a request or an answer. Its texts are localized and safe to show. */
export interface SamplingPart {
  /** The position in the request or the answer. A `PartEdit` refers to it. */
  index: number;
  kind: 'system' | 'user' | 'assistant' | 'fixed';
  label: string;
  /** Small text beside the label. */
  hint?: string;
  warning?: string;
  text: string;
  /** Whether the text can be edited. If not, the part can only be sent as received or removed. */
  isEditable: boolean;
}

/** A change of one part. Without `text`, the text is unchanged. */
export interface PartEdit {
  index: number;
  text?: string;
  isRemoved?: true;
}

/** The answer of a model. */
export interface SamplingAnswer {
  id: string;
  heading: string;
  parts: readonly SamplingPart[];
}

/** The request, with everything that a model would receive. */
export interface SamplingState {
  bundle: Readonly<Record<string, string>>;
  target: PageTarget;
  title: string;
  /** Small text beside the title. */
  hint?: string;
  /** Facts about the request, such as the limits of the answer. */
  facts: readonly string[];
  /** The call that caused the request. Absent if it is not known. */
  cause?: string;
  warnings: readonly string[];
  parts: readonly SamplingPart[];
  answer?: SamplingAnswer;
  /** Whether a model is answering. */
  isAsking: boolean;
  draft?: SamplingDraft;
  /** Why the request ended. Absent while it waits. */
  over?: string;
}

/** Unfinished input. */
export interface SamplingDraft {
  parts: PartEdit[];
  /** The user's own answer. */
  own: string;
  /** The answer of a model that the user edited, with the edits. */
  model?: { id: string; edits: PartEdit[] };
  /** Time of the input, in milliseconds since the epoch. The newer of two drafts is used. */
  at: number;
}

function isEdit(value: unknown): value is PartEdit {
  return (
    isObject(value) &&
    Number.isSafeInteger(value['index']) &&
    (value['text'] === undefined || typeof value['text'] === 'string') &&
    (value['isRemoved'] === undefined || value['isRemoved'] === true)
  );
}

function areEdits(value: unknown): value is PartEdit[] {
  return Array.isArray(value) && value.every(isEdit);
}

/** Whether a stored value is a draft of this page. */
export function isSamplingDraft(value: unknown): value is SamplingDraft {
  if (!isObject(value)) return false;
  const { parts, own, model, at } = value;
  return (
    areEdits(parts) &&
    typeof own === 'string' &&
    typeof at === 'number' &&
    (model === undefined || (isObject(model) && typeof model['id'] === 'string' && areEdits(model['edits'])))
  );
}

/** The checks of the messages from the page, by name. */
export const samplingGuards: Guards<FromSamplingPage> = {
  notices: {
    ready: isObject,
    keep: (body): body is { draft: SamplingDraft } => isObject(body) && isSamplingDraft(body['draft']),
    leave: (body): body is { way: SamplingWay } => isObject(body) && ways.some((way) => way === body['way']),
  },
  requests: {
    ask: (body): body is { edits: PartEdit[] } => isObject(body) && areEdits(body['edits']),
    send: (body): body is { edits: PartEdit[]; answer?: string } =>
      isObject(body) && areEdits(body['edits']) && (body['answer'] === undefined || typeof body['answer'] === 'string'),
  },
};
