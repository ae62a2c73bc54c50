/**
 * The messages between the extension and the page of a form. The form belongs to an elicitation or to the definition of
 * a server.
 */
import type { Guards } from '../channel.js';
import type { Form } from '../form/form.js';
import { isObject } from '../json.js';
import type { Arguments, Draft, FromForm } from './formMessages.js';
import { formGuards, hasArguments } from './formMessages.js';
import type { PageTarget } from './pageTarget.js';

export type ToFormRequestPage = {
  notices: {
    /** Shows the form. Sent as the response to `ready`. */
    ask: FormRequestState;
    /** The form is no longer needed. `text` is the reason. */
    over: { text: string };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromFormRequestPage = {
  notices: FromForm['notices'] & {
    submit: { arguments: Arguments };
    /** Leaves the form without submitting it. */
    leave: { way: WayOut };
  };
  requests: FromForm['requests'];
};

const waysOut = ['decline', 'cancel', 'openSource'] as const;

/** Actions that leave a form without submitting it: decline, cancel, or edit the underlying text. */
export type WayOut = (typeof waysOut)[number];

/** A form that the user is asked to fill in. Its texts are localized and safe to show. */
export interface FormRequestState {
  bundle: Readonly<Record<string, string>>;
  target: PageTarget;
  title: string;
  /** Small text beside the title. */
  hint?: string;
  /** The reason for the request. May have several lines. */
  message: string;
  warnings: readonly string[];
  /** Label of the submit button. */
  submit: string;
  ways: readonly { way: WayOut; text: string; tooltip: string; /** The name of a codicon. */ icon: string }[];
  /** Whether the form can also be edited as JSON. */
  hasModes: boolean;
  form: Form;
  start: Arguments;
  draft?: Draft;
  /** Why the form is no longer needed. Absent as long as it is needed. */
  over?: string;
}

export const formRequestGuards: Guards<FromFormRequestPage> = {
  notices: {
    ...formGuards.notices,
    submit: hasArguments,
    leave: (body): body is { way: WayOut } => isObject(body) && waysOut.some((way) => way === body['way']),
  },
  requests: formGuards.requests,
};
