import type { Remark } from '../base/remark.js';

/** The answers to the notice that a start is waiting. */
type StartAnswer = 'stop' | 'keep' | undefined;

/** The data and functions for the notice that a start is waiting. */
export interface StartNoticeOptions {
  /** Whether the start is still in progress and a user waits for this start. */
  mayTell: () => boolean;
  tell: (remark: Remark) => Promise<StartAnswer> | undefined;
  /** Ends the start because the user does not want to wait. */
  stop: () => Promise<void>;
  /** Aborted when the start is over. */
  signal: AbortSignal;
}

/**
 * Returns a function that shows a remark to the user and returns whether it was shown. Once the user has answered that
 * they want to wait, no more remarks are shown.
 */
export function startNotice({ mayTell, tell, stop, signal }: StartNoticeOptions): (remark: Remark) => boolean {
  let keepsWaiting = false;
  const ask = async (remark: Remark) => {
    const answer = await tell(remark)?.catch(() => undefined);
    if (answer === 'stop' && !signal.aborted) await stop();
    keepsWaiting = answer === 'keep';
  };
  return (remark) => {
    if (keepsWaiting || !mayTell()) return false;
    void ask(remark);
    return true;
  };
}
