import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { HostError } from '../base/hostError.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { CreateMessageRequest } from '../protocol/mcp.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { SamplingLimits, SamplingUse, SamplingVerdict } from './samplingLimits.js';
import { hourMs, judgeSampling, maxRefusals, readSamplingLimits } from './samplingLimits.js';

/** How an admitted request ended. */
type SamplingEnd =
  /** `isSeen` means that the user saw the request. */
  | { kind: 'answered'; isSeen: boolean }
  | { kind: 'declined' }
  | { kind: 'put-aside' }
  /** The server canceled the request, or no model could answer. */
  | { kind: 'dropped' };

/** A request that is within the limits. */
export interface AdmittedSampling {
  request: CreateMessageRequest;
  needsUser: boolean;
  end: (how: SamplingEnd) => void;
}

interface Session {
  refusals: number;
  isPutAside: boolean;
}

/**
 * Tracks how much each server has used the user's language model (security requirement C8). Usage is tracked per
 * definition, so that a restart does not reset it; refusals are tracked per session.
 */
export class SamplingGuard {
  private readonly uses = new Map<string, SamplingUse[]>();
  private readonly unattended = new Map<string, number>();
  private sessions = new WeakMap<object, Session>();

  /** @param setting the unvalidated value of the setting with the limits. */
  constructor(
    private readonly setting: () => unknown = () => undefined,
    private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Admits a request if it is within the limits. Throws HostError `cancelled` if an earlier refusal of the user still
   * applies, and ProtocolError if a limit is reached or `maxTokens` is invalid.
   * @param session identifies the requesting session, by object identity.
   */
  admit(
    { id, hash }: Pick<ServerEntry, 'id' | 'hash'>,
    session: object,
    request: CreateMessageRequest,
    isAllowed: boolean,
  ): AdmittedSampling {
    const now = this.clock.now();
    const uses = (this.uses.get(hash) ?? []).filter(({ at }) => at > now - hourMs);
    const known = this.sessions.get(session) ?? { refusals: 0, isPutAside: false };
    const limits = readSamplingLimits(this.setting(), id);
    const verdict = judgeSampling(
      { uses, unattended: this.unattended.get(hash) ?? 0, ...known },
      request,
      limits,
      isAllowed,
      now,
    );
    if (verdict.kind === 'refuse') throw refusal(verdict, limits);
    const use = { at: now, tokens: verdict.tokens };
    this.uses.set(hash, [...uses, use]);
    this.sessions.set(session, known);
    // Counted before the answer, so that parallel requests cannot exceed the limit.
    if (!verdict.needsUser) this.unattended.set(hash, (this.unattended.get(hash) ?? 0) + 1);
    return {
      request: { ...request, maxTokens: verdict.maxTokens },
      needsUser: verdict.needsUser,
      end: (how) => {
        if (how.kind === 'answered' && how.isSeen) this.unattended.delete(hash);
        if (how.kind === 'answered') known.refusals = 0;
        // No model received a declined request, so the request used no tokens, but it is included in the number of
        // requests. A dropped request keeps its tokens, because a model may have answered it already.
        if (how.kind === 'declined' || how.kind === 'put-aside') use.tokens = 0;
        if (how.kind === 'declined') known.refusals++;
        if (how.kind === 'put-aside') known.isPutAside = true;
      },
    };
  }

  /** Clears the refusals, after the user changed their decision about sampling. */
  clearRefusals(): void {
    this.sessions = new WeakMap();
  }
}

function refusal(verdict: Extract<SamplingVerdict, { kind: 'refuse' }>, limits: SamplingLimits): Error {
  switch (verdict.why) {
    case 'put-aside':
      return new HostError(
        'cancelled',
        'The user dismissed a request of this session, so further requests are refused.',
      );
    case 'refused-often':
      return new HostError(
        'cancelled',
        `The user declined ${maxRefusals} requests of this session in a row, so further requests are refused.`,
      );
    case 'bad-tokens':
      return new ProtocolError(
        ErrorCode.invalidParams,
        'sampling/createMessage: "maxTokens" is not a number above zero',
      );
    case 'requests':
      return new ProtocolError(
        ErrorCode.internalError,
        `This server may ask a language model ${limits.requestsPerMinute} times a minute; try again in ${seconds(verdict.retryAfterMs)} s.`,
      );
    case 'tokens':
      return new ProtocolError(
        ErrorCode.internalError,
        `This server may use ${limits.tokensPerHour} tokens of a language model an hour; try again in ${seconds(verdict.retryAfterMs)} s.`,
      );
  }
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
