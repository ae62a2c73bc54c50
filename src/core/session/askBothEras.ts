/**
 * The era probe on pipes and sockets, where a server may say nothing to a method that it does not know, and a slow one says
 * nothing either: silence only lets `initialize` follow, and an answer to either of the two still decides.
 */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/hostError.js';
import type { TimeoutHold } from '../protocol/jsonRpcPeer.js';
import type { LegacyIdentity } from './legacyCodec.js';
import type { ModernIdentity } from './modernCodec.js';

export type Outcome<T> = { value: T } | { error: unknown };

/** What came of the two requests; what is undefined was not asked, or not answered in time. */
export interface BothAnswers {
  discovered?: Outcome<ModernIdentity> | undefined;
  initialized?: Outcome<LegacyIdentity> | undefined;
}

export interface BothQuestions {
  /** Asks `server/discover` until the signal ends it. */
  discover(signal: AbortSignal): Promise<ModernIdentity>;
  /** Asks `initialize` until the signal ends it. */
  initialize(signal: AbortSignal): Promise<LegacyIdentity>;
  /** How long the probe may stay unanswered before `initialize` follows, in milliseconds. */
  silenceMs: number;
  /** How long the second answer may take once the first has come, in milliseconds. */
  graceMs: number;
  clock: Clock;
  /** While it holds, no time passes. */
  hold?: TimeoutHold | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Asks `server/discover`, and after a silence `initialize` behind it. An answer to one is a reason to wait a little
 * for the other.
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

export function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** Undefined when it takes longer; no time passes while a person holds the server. */
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
