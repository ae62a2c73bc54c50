import type { ResultRequest } from '../../shared/result/resultRequest.js';

/** What the page around a result gives to its drawing. */
export interface ResultContext {
  /** Passes a request to the host. */
  send: (request: ResultRequest) => void;
}

/** The same for the drawing of one result. */
export interface DrawContext extends ResultContext {
  /** Of the run. */
  id: string;
  /** Runs when this drawing is replaced: releases what the browser keeps for it. */
  onRelease: (release: () => void) => void;
}
