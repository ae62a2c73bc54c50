import type { DebugRun } from '../debug/debugRun.js';
import type { PreparedStart } from './sessionOpener.js';

/**
 * The options of one start. They are passed from the caller to the session and apply to this attempt only, so that an
 * automatic restart never inherits the permission to ask the user.
 */
export interface StartRequest {
  /** Whether the user may be asked. Becomes true if the user joins an automatic attempt. */
  isInteractive: boolean;
  /** Present if the server is started under a debugger. */
  readonly debugRun?: DebugRun;
  /**
   * The preparation that was made for this start while the server was still running. It is used only if the definition
   * is unchanged.
   */
  readonly prepared?: PreparedStart;
}

/** The request of an automatic start. */
export function automaticStart(): StartRequest {
  return { isInteractive: false };
}

/**
 * Merges the request of a caller that joins an attempt in progress: the attempt may ask the user if either request may.
 */
export function joinStart(underWay: StartRequest, { isInteractive }: StartRequest): void {
  underWay.isInteractive ||= isInteractive;
}
