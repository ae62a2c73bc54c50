import type { ResultRequest } from '../../shared/result/resultRequest.js';

/** The functions that the surrounding page provides for drawing results. */
export interface ResultContext {
  /** Sends a request to the host. */
  send: (request: ResultRequest) => void;
}

/** Like `ResultContext`, for one result. */
export interface DrawContext extends ResultContext {
  /** ID of the run. */
  id: string;
  /** Registers a function that releases browser resources when this drawing is replaced. */
  onRelease: (release: () => void) => void;
}
