/**
 * Limits the use of the user's language model by a server (specification: client/sampling, "Security Considerations":
 * clients should limit the rate, and both sides should limit iterations). Pure: takes the server's usage so far and
 * returns a verdict. An invalid limit is replaced by the default, so that an error never removes a limit.
 */
import { isObject } from '../base/guards.js';
import type { CreateMessageRequest } from '../protocol/mcp.js';

export interface SamplingLimits {
  /** Maximum number of tokens of one answer; a larger value in a request is reduced to it. */
  maxTokens: number;
  /** Maximum number of requests of a server in any minute, whether or not the user sees them. */
  requestsPerMinute: number;
  /**
   * Maximum number of tokens of a server in any hour: the estimated tokens of prompts plus the maximum tokens of
   * answers.
   */
  tokensPerHour: number;
  /**
   * Maximum number of consecutive requests that are answered without the user; the next one waits for the user. Applies
   * only when the user allows sampling without asking.
   */
  unattended: number;
}

export const defaultSamplingLimits: Readonly<SamplingLimits> = {
  maxTokens: 8_192,
  requestsPerMinute: 30,
  tokensPerHour: 500_000,
  unattended: 50,
};

/** Number of consecutive refusals after which the user is not asked again in this session. */
export const maxRefusals = 3;

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** One use of the model. `at` is a time on the same clock as the parameter `now` of `judgeSampling`. */
export interface SamplingUse {
  at: number;
  tokens: number;
}

/** The server's usage at the time of a request. */
export interface SamplingUsage {
  uses: readonly SamplingUse[];
  /** Number of requests that were answered without the user since the user last saw one. */
  unattended: number;
  /** Number of consecutive refusals in this session. */
  refusals: number;
  /** Whether the user dismissed a request of this session. If so, further requests are refused. */
  isPutAside: boolean;
}

export type SamplingVerdict =
  | { kind: 'admit'; maxTokens: number; tokens: number; needsUser: boolean }
  | { kind: 'refuse'; why: 'put-aside' | 'refused-often' | 'bad-tokens' }
  | { kind: 'refuse'; why: 'requests' | 'tokens'; limit: number; retryAfterMs: number };

/** The verdict about one request. @param isAllowed whether the user allows the server's requests without asking. */
export function judgeSampling(
  state: SamplingUsage,
  request: CreateMessageRequest,
  limits: SamplingLimits,
  isAllowed: boolean,
  now: number,
): SamplingVerdict {
  if (state.isPutAside) return { kind: 'refuse', why: 'put-aside' };
  if (state.refusals >= maxRefusals) return { kind: 'refuse', why: 'refused-often' };
  if (!Number.isFinite(request.maxTokens) || request.maxTokens < 1) return { kind: 'refuse', why: 'bad-tokens' };
  const ofMinute = state.uses.filter(({ at }) => at > now - minuteMs);
  if (ofMinute.length >= limits.requestsPerMinute)
    return {
      kind: 'refuse',
      why: 'requests',
      limit: limits.requestsPerMinute,
      retryAfterMs: waitOf(ofMinute.at(-limits.requestsPerMinute), minuteMs, now),
    };
  const maxTokens = Math.min(Math.floor(request.maxTokens), limits.maxTokens);
  const tokens = estimateTokens(request) + maxTokens;
  const ofHour = state.uses.filter(({ at }) => at > now - hourMs);
  const used = ofHour.reduce((sum, use) => sum + use.tokens, 0);
  if (used + tokens > limits.tokensPerHour)
    return { kind: 'refuse', why: 'tokens', limit: limits.tokensPerHour, retryAfterMs: waitOf(ofHour[0], hourMs, now) };
  return { kind: 'admit', maxTokens, tokens, needsUser: !isAllowed || state.unattended >= limits.unattended };
}

/**
 * Estimates the number of tokens of a request: one per four characters. For content other than text, the length of its
 * JSON is used, which overestimates the number.
 */
export function estimateTokens({
  messages,
  systemPrompt = '',
  tools,
}: { messages: readonly Pick<CreateMessageRequest['messages'][number], 'content'>[] } & Pick<
  CreateMessageRequest,
  'systemPrompt' | 'tools'
>): number {
  const lengths = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
    .map((block) =>
      block.type === 'text' && typeof block['text'] === 'string' ? block['text'].length : JSON.stringify(block).length,
    );
  return Math.ceil(
    (lengths.reduce((sum, length) => sum + length, 0) +
      systemPrompt.length +
      (tools ? JSON.stringify(tools).length : 0)) /
      4,
  );
}

/**
 * The limits for one server: the values for its ID under `servers` override the general ones. A value that is not a
 * positive integer is ignored; only `unattended` may be 0.
 */
export function readSamplingLimits(value: unknown, server: string): SamplingLimits {
  const written = isObject(value) ? value : {};
  const servers = isObject(written['servers']) ? written['servers'] : {};
  const own = Object.hasOwn(servers, server) && isObject(servers[server]) ? servers[server] : {};
  const read = (name: keyof SamplingLimits, isValid: (value: number) => boolean) =>
    [own[name], written[name]].find(
      (one): one is number => typeof one === 'number' && Number.isSafeInteger(one) && isValid(one),
    ) ?? defaultSamplingLimits[name];
  const positive = (one: number) => one > 0;
  return {
    maxTokens: read('maxTokens', positive),
    requestsPerMinute: read('requestsPerMinute', positive),
    tokensPerHour: read('tokensPerHour', positive),
    unattended: read('unattended', (one) => one >= 0),
  };
}

function waitOf(oldest: SamplingUse | undefined, spanMs: number, now: number): number {
  return oldest ? Math.max(0, oldest.at + spanMs - now) : spanMs;
}
