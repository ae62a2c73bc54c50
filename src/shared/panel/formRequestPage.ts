/**
 * The messages between the extension and the page of a form. The form belongs to an elicitation, to the definition of a
 * server, or to the settings of a bundle.
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
    /** The progress after a submit. The buttons are disabled until `ask` is sent, or `progress` without text. */
    progress: { text?: string };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromFormRequestPage = {
  notices: FromForm['notices'] & {
    /**
     * `isSecondary`: the second of the two submit buttons. `json`: the parts of the input that the page shows as JSON
     * text, if there are any.
     */
    submit: { arguments: Arguments; isSecondary: boolean; json?: string };
    /** The user pressed a button that does not submit the form. */
    leave: { way: WayOut };
  };
  requests: FromForm['requests'];
};

/** The commands that can remove the cause of a failed start. */
const remedies = [
  'setSecret',
  'replaceSecret',
  'signIn',
  'showSignInTrace',
  'manageStoredValues',
  'reviewTrust',
  'manageWorkspaceTrust',
] as const;
export type Remedy = (typeof remedies)[number];

const waysOut = ['decline', 'cancel', 'openSource', 'showLog', 'diagnose', ...remedies] as const;

/**
 * The actions that do not submit the form: decline or cancel the request, open the file or setting with the definition,
 * show the log or the diagnosis of a server that did not start, or remove the cause of its failure.
 */
export type WayOut = (typeof waysOut)[number];

/** Whether an action is a command that can remove the cause of a failed start. */
export function isRemedy(way: string): way is Remedy {
  return remedies.some((remedy) => remedy === way);
}

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
  /** The failure of the last submit, or the failure that the server already has. */
  failure?: FormFailure;
  /** Label of the submit button. */
  submit: string;
  /** Label of the second submit button, for example *Save* beside *Save and Start*. */
  secondSubmit?: string;
  ways: readonly { way: WayOut; text: string; tooltip: string; /** A codicon. */ icon: string }[];
  /** Whether the form can also be edited as JSON. */
  hasModes: boolean;
  form: Form;
  start: Arguments;
  draft?: Draft;
  /**
   * Present if the input that the page stored must be discarded, because it was submitted or belongs to another version
   * of the form.
   */
  isReset?: true;
  /**
   * Data that the page stores for the extension, which recreates the form from it after a window reload. Contains no
   * secrets.
   */
  kept?: Readonly<Record<string, unknown>>;
  /** Why the form is no longer needed. Absent as long as it is needed. */
  over?: string;
}

/** A failure that the user can correct in the form. Its texts are localized and safe to show. */
export interface FormFailure {
  /** A description of the failure. */
  what: string;
  /** The suggested action. */
  next: string;
  /** The last lines that the server wrote. */
  lines: readonly string[];
  /** The buttons, with the most helpful one first. */
  ways: FormRequestState['ways'];
  /** The field that the failure points to, as a JSON pointer. It gets the focus. */
  field?: string;
}

/** The checks of the messages from the page, by name. */
export const formRequestGuards: Guards<FromFormRequestPage> = {
  notices: {
    ...formGuards.notices,
    submit: (body): body is FromFormRequestPage['notices']['submit'] =>
      hasArguments(body) &&
      'isSecondary' in body &&
      typeof body.isSecondary === 'boolean' &&
      (!('json' in body) || typeof body.json === 'string'),
    leave: (body): body is { way: WayOut } => isObject(body) && waysOut.some((way) => way === body['way']),
  },
  requests: formGuards.requests,
};
