/**
 * The steps of a sign-in as data, so that a person can see where it stopped. Everything that enters is masked and made
 * harmless here, once: secrets keep only their length, text from outside is bounded and its hidden characters visible.
 */
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import { visibleText } from '../base/hostileText.js';

/** What a step is about. */
export type SignInStepKind =
  | 'challenge'
  | 'resource-metadata'
  | 'issuer-metadata'
  | 'registration'
  | 'authorization'
  | 'answer'
  | 'token'
  | 'revocation'
  | 'done'
  | 'stopped';

/** One step; safe to show, to log and to copy. */
export interface SignInStep {
  /** Milliseconds since the epoch. */
  at: number;
  kind: SignInStepKind;
  /** What was asked: `GET https://…`. */
  request?: string;
  /** HTTP status of the answer. */
  status?: number;
  /** Parameters that were sent, or that the authorization URL has; masked. */
  sent?: unknown;
  /** The answer: parsed JSON with secrets masked, or the beginning of a text. */
  received?: unknown;
  /** Why this step failed, or a remark. */
  note?: string;
}

const maxSteps = 100;
const maxText = 2_000;
const maxItems = 60;
const secret = /^(.*token|.*secret|.*assertion|code|code_verifier|authorization|dpop|state|password)$/i;

/** The steps of one sign-in or token request, oldest first. */
export class SignInTrace {
  private readonly list: SignInStep[] = [];
  private readonly didAdd = new Emitter<SignInStep>();
  /** Fired after a step was added, for live display. */
  readonly onDidAdd: Event<SignInStep> = this.didAdd.event;

  /**
   * @param server our name for the server.
   * @param now milliseconds since the epoch.
   */
  constructor(
    readonly server: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Everything so far. */
  get steps(): readonly SignInStep[] {
    return this.list;
  }

  /** Adds a step; `sent`, `received` and `note` are masked and bounded. */
  add(kind: SignInStepKind, step: Omit<SignInStep, 'at' | 'kind'> = {}): void {
    if (this.list.length >= maxSteps) return;
    const entry = { at: this.now(), kind, ...(masked(step) as typeof step) };
    this.list.push(entry);
    this.didAdd.fire(entry);
  }

  /** The last step: why it went no further. */
  stop(error: unknown): void {
    this.add('stopped', { note: messageOf(error) });
  }
}

/** A copy of `value` without secrets, bounded in depth, number and length of its parts. */
export function masked(value: unknown, key = '', depth = 0): unknown {
  if (typeof value === 'string') {
    if (secret.test(key)) return `•••• (${value.length} characters)`;
    return visibleText(withoutSecretParameters(value), maxText);
  }
  if (depth > 6) return '…';
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => masked(item, key, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([name, item]) => [visibleText(name, 100), masked(item, name, depth + 1)]),
  );
}

/** Hides JWTs under whatever name, and the values of secret parameters inside URLs and form texts. */
function withoutSecretParameters(text: string): string {
  return text
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '••••')
    .replace(/([?&;#]|^)([\w.-]+)=([^&#\s]+)/g, (whole, before: string, name: string) =>
      secret.test(name) ? `${before}${name}=••••` : whole,
    );
}
