import type { DebugRun } from '../debug/debugRun.js';
import type { PreparedStart } from './sessionOpener.js';

/**
 * What one start was asked for with. It is passed from the caller to the session and is gone with the attempt, so that an
 * automatic restart never inherits the permission to ask the user.
 */
export interface StartRequest {
  /** Whether the user may be asked. Becomes true when the user joins an attempt that began by itself. */
  isInteractive: boolean;
  /** Present when the server is started under a debugger. */
  readonly debugRun?: DebugRun;
  /** What was prepared for this start while the server still ran. It counts only while the definition is the same. */
  readonly prepared?: PreparedStart;
}

/** A start that MCP Deck makes by itself. */
export function automaticStart(): StartRequest {
  return { isInteractive: false };
}

/** A caller waits for an attempt that is under way. */
export function joinStart(underWay: StartRequest, { isInteractive }: StartRequest): void {
  underWay.isInteractive ||= isInteractive;
}
