import type { Guards } from '../channel.js';
import type { PageContext } from './pageContext.js';
import { isPageContext } from './pageContext.js';
import { isObject } from '../json.js';

/**
 * What the extension and the page around an app say to each other. The page only carries what the app and the extension
 * say; it understands of it how high the app wants to be. Messages of the app are JSON texts of a bounded length, so that
 * nothing but plain data ever passes.
 */

export type ToPage = {
  notices: {
    /** The whole state; the answer to `ready`, and sent again when it changed. */
    show: AppPanelState;
    /** For the app: a JSON text. */
    toApp: { text: string };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type FromPage = {
  notices: {
    ready: { context: PageContext };
    context: { context: PageContext };
    /** From the app: a JSON text. `frame` says which one, since an older one may still be speaking. */
    fromApp: { frame: number; text: string };
    /** The frame was taken away: it went to another page, or sent without end. */
    stopped: { frame: number; reason: StopReason };
    act: { action: AppAction };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

const stopReasons = ['left', 'flood'] as const;
export type StopReason = (typeof stopReasons)[number];

const appActions = ['allow', 'reload', 'showLog', 'openTool', 'fill'] as const;
/** `allow`: show the app although it reaches other places; `fill`: all of the room for it, or not. */
export type AppAction = (typeof appActions)[number];

/** Characters of one message of an app; longer ones are dropped. */
export const maxMessageLength = 4 * 1024 * 1024;
/** Messages of an app in a second; more are dropped, and very many more end it. */
export const maxMessagesPerSecond = 100;
export const endingMessagesPerSecond = 2_000;

/** What the document of an app sends first, with a port at which it answers while it is there. */
export const openMethod = 'ui/notifications/sandbox-open';

export interface AppPanelState {
  /** The window's translations by their English text; none in English. */
  bundle: Readonly<Record<string, string>>;
  /** Names as they are shown; harmless. */
  title: string;
  server: string;
  view: AppView;
  /** Remarks of ours about the app. */
  notes: readonly string[];
}

export type AppView =
  | { kind: 'loading' }
  /**
   * Waits for the user's agreement: the app declares these origins; or `hasFrames`, it holds documents from which it
   * could reach any place.
   */
  | { kind: 'ask'; domains: readonly string[]; hasFrames: boolean }
  | {
      kind: 'app';
      /** Grows with each app that is shown; the same number is the same app. */
      frame: number;
      /** The text of the server; goes into the frame and nowhere else. */
      html: string;
      /** The content security policy of the app. */
      policy: string;
      /** The app may reach nothing: what a policy does not govern is closed too. */
      isClosed: boolean;
      hasBorder: boolean;
      /** All of the room, or as high as it wants. */
      isFilled: boolean;
    }
  | { kind: 'failed'; message: string };

export const fromPageGuards: Guards<FromPage> = {
  notices: {
    ready: hasContext,
    context: hasContext,
    fromApp: (body): body is FromPage['notices']['fromApp'] =>
      isObject(body) &&
      Number.isSafeInteger(body['frame']) &&
      typeof body['text'] === 'string' &&
      body['text'].length <= maxMessageLength,
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
