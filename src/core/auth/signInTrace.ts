/**
 * The steps of a sign-in as data, to show where it stopped. Everything is masked and escaped when it is added: of
 * secrets only the length is kept, and text from outside is shortened, with hidden characters made visible.
 */
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import { visibleText } from '../base/hostileText.js';

/** The subject of a step. */
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
  /** The request: `GET https://…`. */
  request?: string;
  /** HTTP status of the response. */
  status?: number;
  /** Parameters that were sent or are part of the authorization URL; masked. */
  sent?: unknown;
  /** The response: parsed JSON with secrets masked, or the beginning of a text. */
  received?: unknown;
  /** Why this step failed, or another note. */
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
   * @param server the name of the server in MCP Deck.
   * @param now returns milliseconds since the epoch.
   */
  constructor(
    readonly server: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** All steps so far. */
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

  /** Adds the last step: why the flow stopped. */
  stop(error: unknown): void {
    this.add('stopped', { note: messageOf(error) });
  }
}

/** A copy of `value` without secrets, limited in depth, number and length of its parts. */
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

/** Masks JWTs under any name, and the values of secret parameters in URLs and form bodies. */
function withoutSecretParameters(text: string): string {
  return text
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '••••')
    .replace(/([?&;#]|^)([\w.-]+)=([^&#\s]+)/g, (whole, before: string, name: string) =>
      secret.test(name) ? `${before}${name}=••••` : whole,
    );
}
