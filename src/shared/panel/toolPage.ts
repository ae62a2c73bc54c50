/** The messages between the extension and the page of a tool. */
import type { Guards } from '../channel.js';
import { isObject } from '../json.js';
import type { Arguments } from './formMessages.js';
import { hasArguments } from './formMessages.js';
import type { FromItemPage, HistoryLine, ToItemPage } from './itemPage.js';
import { itemPageGuards } from './itemPage.js';

export type ToToolPage = {
  notices: ToItemPage['notices'] & {
    history: { runs: readonly HistoryLine[] };
    /** Replaces the values in the form, for example with those of a past run. */
    fill: { arguments: Arguments };
  };
  requests: ToItemPage['requests'];
};

export type FromToolPage = {
  notices: FromItemPage['notices'] & {
    /** Stores a favorite with these arguments. The extension asks the user for the name. */
    favourite: { arguments: Arguments };
    /** Puts the arguments of a past run into the form. */
    useRun: { id: string };
    /** Shows the result of a past run. */
    showRun: { id: string };
    /** Repeats a past run. */
    runAgain: { id: string };
  };
  requests: FromItemPage['requests'];
};

export const toolPageGuards: Guards<FromToolPage> = {
  notices: {
    ...itemPageGuards.notices,
    favourite: hasArguments,
    useRun: hasId,
    showRun: hasId,
    runAgain: hasId,
  },
  requests: itemPageGuards.requests,
};

function hasId(body: unknown): body is { id: string } {
  return isObject(body) && typeof body['id'] === 'string';
}
