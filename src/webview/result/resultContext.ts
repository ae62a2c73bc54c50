import type { ResultRequest } from '../../shared/result/resultRequest.js';
import type { Findables } from './find/findable.js';

/** The functions that the surrounding page provides for drawing results. */
export interface ResultContext {
  /** Sends a request to the extension. */
  send: (request: ResultRequest) => void;
  /** The parts that the find box searches. Absent on pages without one. */
  findables?: Findables;
}

/** Like `ResultContext`, for one result. */
export interface DrawContext extends ResultContext {
  /** ID of the run. */
  id: string;
  /** Registers a function that releases browser resources when this drawing is replaced. */
  onRelease: (release: () => void) => void;
}
