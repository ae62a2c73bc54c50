/** The messages between the extension and the page of a resource template. */
import type { Guards } from '../channel.js';
import { isObject } from '../json.js';
import type { Arguments } from './formMessages.js';
import { hasArguments } from './formMessages.js';
import type { FromItemPage } from './itemPage.js';
import { itemPageGuards } from './itemPage.js';

export type FromTemplatePage = {
  notices: FromItemPage['notices'] & {
    /** Performs another action on the resource. */
    use: { use: ResourceUse; arguments: Arguments };
  };
  requests: FromItemPage['requests'] & {
    /** Requests the URI that results from the template, or the problem. */
    address: { body: { arguments: Arguments }; reply: ExpandedUri };
  };
};

const resourceUses = ['openToSide', 'save', 'compare', 'copyUri', 'pin'] as const;
export type ResourceUse = (typeof resourceUses)[number];

/** The URI of a resource. Safe to show as text. */
export interface ExpandedUri {
  /** The URI; empty if there is none. */
  text: string;
  /** The reason why the arguments result in no valid URI, as a complete sentence. */
  problem?: string;
}

/** The checks of the messages from the page, by name. */
export const templatePageGuards: Guards<FromTemplatePage> = {
  notices: {
    ...itemPageGuards.notices,
    use: (body): body is { use: ResourceUse; arguments: Arguments } =>
      isObject(body) && resourceUses.some((use) => use === body['use']) && hasArguments(body),
  },
  requests: { ...itemPageGuards.requests, address: hasArguments },
};
