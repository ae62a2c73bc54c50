/**
 * The era probe on pipes and sockets. A server may leave an unknown method unanswered, and a slow server does not
 * answer in time either. So, after a time without an answer, `initialize` is sent as well, and the answer to either
 * request decides.
 */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/hostError.js';
import type { TimeoutHold } from '../protocol/jsonRpcPeer.js';
import type { LegacyIdentity } from './legacyCodec.js';
import type { ModernIdentity } from './modernCodec.js';

export type EraAnswer<T> = { value: T } | { error: unknown };

/** The outcomes of the two requests. Undefined if a request was not sent, or not answered in time. */
export interface BothAnswers {
  discovered?: EraAnswer<ModernIdentity> | undefined;
  initialized?: EraAnswer<LegacyIdentity> | undefined;
}

export interface BothQuestions {
  /** Sends `server/discover`, until the signal is aborted. */
  discover(signal: AbortSignal): Promise<ModernIdentity>;
  /** Sends `initialize`, until the signal is aborted. */
  initialize(signal: AbortSignal): Promise<LegacyIdentity>;
  /** Time to wait for an answer to the probe before `initialize` is sent, ms. */
  silenceMs: number;
  /** Time to wait for the second answer after the first one, ms. */
  graceMs: number;
  clock: Clock;
  /** If `isHeld` is true at the end of a wait, the wait starts again. */
  hold?: TimeoutHold | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Sends `server/discover`. After `silenceMs` without an outcome, also sends `initialize`, and waits for the first
 * outcome of the two. Then waits up to `graceMs` for the other one, unless the first one is a successful `initialize`.
 */
export async function askBothEras(questions: BothQuestions): Promise<BothAnswers> {
  const { silenceMs, graceMs, signal } = questions;
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const discovering = outcomeOf(questions.discover(either));
  try {
    const early = await within(silenceMs, discovering, questions);
    if (early) return { discovered: early };
    const initializing = outcomeOf(questions.initialize(either));
    const first = await Promise.race([
      discovering.then((discovered) => ({ discovered })),
      initializing.then((initialized) => ({ initialized })),
    ]);
    if ('initialized' in first)
      return 'value' in first.initialized
        ? first
        : { ...first, discovered: await within(graceMs, discovering, questions) };
    if ('value' in first.discovered) return { ...first, initialized: await within(graceMs, initializing, questions) };
    return { ...first, initialized: await within(graceMs, initializing, questions) };
  } finally {
    over.abort(new HostError('cancelled', 'The handshake is over.'));
  }
}

/** The result or the error of a promise as a value, so that waiting for it never throws. */
export function outcomeOf<T>(work: Promise<T>): Promise<EraAnswer<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/**
 * Waits for `work`; resolves to undefined after `ms`. If `hold` is active at that moment, for example because the
 * server waits for the user, the time starts again.
 */
async function within<T>(
  ms: number,
  work: Promise<T>,
  { clock, hold }: Pick<BothQuestions, 'clock' | 'hold'>,
): Promise<T | undefined> {
  let timer: Disposable | undefined;
  const late = new Promise<undefined>((resolve) => {
    const arm = () => (timer = clock.after(ms, () => (hold?.isHeld ? arm() : resolve(undefined))));
    arm();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.dispose();
  }
}
