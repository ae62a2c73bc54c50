import type { ResultRequest } from '../../shared/result/resultRequest.js';

/** Puts a text into the user's language and fills `{0}`, `{1}`… */
export type Translate = (message: string, ...args: (string | number)[]) => string;

/** What the page around a result gives to its drawing. */
export interface ResultContext {
  /** Passes a request to the host. */
  send: (request: ResultRequest) => void;
  t: Translate;
}

/** The same for the drawing of one result. */
export interface DrawContext extends ResultContext {
  /** Of the run. */
  id: string;
  /** Runs when this drawing is replaced: releases what the browser keeps for it. */
  onRelease: (release: () => void) => void;
}
