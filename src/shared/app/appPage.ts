import type { Guards } from '../channel.js';
import type { PageContext } from './pageContext.js';
import { isPageContext } from './pageContext.js';
import { isObject } from '../json.js';

/**
 * The messages between the extension and the page around an app. The page forwards the messages between the app and the
 * extension without reading them, except for the height that the app requests. Each message of an app is a JSON text of
 * limited length, so that it can contain only plain data.
 */

export type ToPage = {
  notices: {
    /** The whole state. Sent as the response to `ready` and again after each other change. */
    show: AppPanelState;
    /** Whether the shown app fills the available height. The HTML of the app is not sent again for this change. */
    fill: { isFilled: boolean };
    /** A message to the app as JSON text. */
    toApp: { text: string };
    /** The extension has handled a message of the app; `length` is the length of its text. */
    handled: { frame: number; length: number };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromPage = {
  notices: {
    ready: { context: PageContext };
    context: { context: PageContext };
    /**
     * A message from the app as JSON text. `frame` identifies the app, because a message of the previous app may still
     * arrive.
     */
    fromApp: { frame: number; text: string };
    /** The app has taken a message of `toApp`; `length` is the length of its text. */
    taken: { frame: number; length: number };
    /** The frame was removed because it navigated or sent too many messages. */
    stopped: { frame: number; reason: StopReason };
    act: { action: AppAction };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

const stopReasons = ['left', 'flood'] as const;
export type StopReason = (typeof stopReasons)[number];

const appActions = ['allow', 'reload', 'showLog', 'openTool', 'fill'] as const;
/**
 * The actions of the page. `allow` shows the app although it can reach other origins. `fill` switches between the full
 * height and the height that the app requests.
 */
export type AppAction = (typeof appActions)[number];

/** Maximum length of one message of an app, in characters. Longer messages are dropped. */
export const maxMessageLength = 4 * 1024 * 1024;
/** Maximum number of messages of an app per second. Additional messages are dropped. */
export const maxMessagesPerSecond = 100;
/**
 * Maximum length of the messages of an app that the extension has not handled yet, in characters. Additional messages
 * are dropped.
 */
export const maxUnhandledLength = 2 * maxMessageLength;
/** An app that sends more messages per second than this is stopped. */
export const endingMessagesPerSecond = 2_000;

/**
 * The method of the first message that the document of an app sends to its page. The message contains a port, on which
 * the document answers for as long as it exists.
 */
export const openMethod = 'ui/notifications/sandbox-open';

export interface AppPanelState {
  /** Translations by English text. Empty in English. */
  bundle: Readonly<Record<string, string>>;
  /** The title, safe to show as text. */
  title: string;
  server: string;
  view: AppView;
  /** Notes of MCP Deck about the app. */
  notes: readonly string[];
}

export type AppView =
  | { kind: 'loading' }
  /**
   * The page asks for the user's consent, because the app declares these origins, or because it contains documents that
   * could reach any origin (`hasFrames`).
   */
  | { kind: 'ask'; domains: readonly string[]; hasFrames: boolean }
  | {
      kind: 'app';
      /** The number of the app. Increases with each app that is shown. */
      frame: number;
      /** The HTML from the server. It is used only inside the frame. */
      html: string;
      /** The content security policy of the app. */
      policy: string;
      /**
       * Whether the app is not allowed to reach any origin. If so, `guardApp` also closes the channels that the policy
       * does not restrict.
       */
      isClosed: boolean;
      hasBorder: boolean;
      /** Whether the app fills the available height. Otherwise it has the height that it requested. */
      isFilled: boolean;
    }
  | { kind: 'failed'; message: string };

/** The checks of the messages from the page, by name. */
export const fromPageGuards: Guards<FromPage> = {
  notices: {
    ready: hasContext,
    context: hasContext,
    fromApp: (body): body is FromPage['notices']['fromApp'] =>
      isObject(body) &&
      Number.isSafeInteger(body['frame']) &&
      typeof body['text'] === 'string' &&
      body['text'].length <= maxMessageLength,
    taken: (body): body is FromPage['notices']['taken'] =>
      isObject(body) && Number.isSafeInteger(body['frame']) && Number.isSafeInteger(body['length']),
    stopped: (body): body is FromPage['notices']['stopped'] =>
      isObject(body) && Number.isSafeInteger(body['frame']) && stopReasons.some((reason) => reason === body['reason']),
    act: (body): body is FromPage['notices']['act'] =>
      isObject(body) && appActions.some((action) => action === body['action']),
  },
  requests: {},
};

function hasContext(body: unknown): body is { context: PageContext } {
  return isObject(body) && isPageContext(body['context']);
}
