import type { Remark } from '../base/remark.js';

/** What the user may answer to the notice that a start waits. */
type StartAnswer = 'stop' | 'keep' | undefined;

/** How the user is told why a start of theirs waits. */
export interface StartNoticeOptions {
  /** Whether the start still waits, and the user waits for it. */
  mayTell: () => boolean;
  tell: (remark: Remark) => Promise<StartAnswer> | undefined;
  /** Ends the start, because the user does not want to wait. */
  stop: () => Promise<void>;
  /** Aborted when the start is over. */
  signal: AbortSignal;
}

/** Tells of remarks, until the user answers that they want to wait. @returns whether the user was told. */
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
