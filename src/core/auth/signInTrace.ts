/**
 * The steps of a sign-in as data, to show where it stopped. All data is masked and escaped when it is added. Only the
 * length of a secret is kept. Untrusted text is shortened, and its hidden characters are made visible.
 */
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import { visibleText } from '../base/hostileText.js';
import { tooLargeText } from '../base/jsonText.js';
import { objectOf } from '../base/objectCopy.js';
import { SecretFinder } from '../base/secretFinder.js';
import { valueCost } from '../base/valueCost.js';

/** The kind of a step. */
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
  /** The request in the form `GET https://…`. */
  request?: string;
  /** HTTP status of the response. */
  status?: number;
  /** Parameters that were sent or are part of the authorization URL; masked. */
  sent?: unknown;
  /** The response: parsed JSON with secrets masked, or the beginning of a text. */
  received?: unknown;
  /** The reason for the failure of this step, or another note. */
  note?: string;
}

const maxSteps = 100;
const maxText = 2_000;
const maxItems = 60;
/** Maximum number of secret values that a trace looks for in later texts. */
const maxSecrets = 200;
const maxDepth = 6;
/** Memory limit of the values of a document, bytes (see `valueCost`). A larger one is replaced by a note. */
const maxCost = 256 * 1024;
/** A parameter in a URL or a form body. */
const parameter = /(?<=[?&;#]|^)([\w.-]+)=([^&#\s]+)/g;
const secret = /^(.*token|.*secret|.*assertion|code|code_verifier|authorization|dpop|state|password)$/i;
/** Names of secrets in a response. `code` is not included, because its value may be an error code. */
const credential = /^(.*token|.*secret)$/i;
const noSecrets = new SecretFinder([]);

/** The steps of one sign-in or token request, oldest first. */
export class SignInTrace {
  private readonly list: SignInStep[] = [];
  /** Secret values that this flow sent or received. An issuer may repeat them in any text. */
  private readonly secrets = new Set<string>();
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
    this.learn(step.sent, secret);
    this.learn(step.received, credential);
    const finder = new SecretFinder([...this.secrets]);
    const shown = Object.fromEntries(Object.entries(step).map(([name, value]) => [name, affordable(value)]));
    const entry = { at: this.now(), kind, ...(masked(shown, finder) as typeof step) };
    this.list.push(entry);
    this.didAdd.fire(entry);
  }

  /** Masks a secret in every later step. Used for secrets that no step shows, such as those in headers. */
  hide(secret: string): void {
    if (this.secrets.size < maxSecrets) this.secrets.add(secret);
  }

  /** Adds the last step, which states why the flow stopped. */
  stop(error: unknown): void {
    this.add('stopped', { note: messageOf(error) });
  }

  /** Remembers the values of properties whose names match, so that they are masked in later steps. */
  private learn(value: unknown, names: RegExp, key = '', depth = 0): void {
    if (typeof value === 'string') {
      if (names.test(key)) this.hide(value);
      else
        for (const [, name = '', text = ''] of value.matchAll(parameter))
          if (names.test(name)) this.hide(decoded(text));
    } else if (depth <= maxDepth && typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value).slice(0, maxItems))
        this.learn(item, names, Array.isArray(value) ? key : name, depth + 1);
  }
}

/** The value; a note if it is an object or list that needs too much memory. Texts are shortened later. */
function affordable(value: unknown): unknown {
  return typeof value === 'object' && valueCost(value, maxCost) > maxCost ? tooLargeText : value;
}

/** A copy of `value` without secrets. Its depth, and the number and length of its parts, are limited. */
export function masked(value: unknown, finder = noSecrets, key = '', depth = 0): unknown {
  if (typeof value === 'string') {
    if (secret.test(key)) return `•••• (${value.length} characters)`;
    return visibleText(finder.mask(withoutSecretParameters(value)), maxText);
  }
  if (depth > maxDepth) return '…';
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => masked(item, finder, key, depth + 1));
  if (!isObject(value)) return value;
  return objectOf(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([name, item]) => [visibleText(finder.mask(name), 100), masked(item, finder, name, depth + 1)]),
  );
}

/** Masks JWTs wherever they occur, and the values of secret parameters in URLs and form bodies. */
function withoutSecretParameters(text: string): string {
  return withoutTokens(text).replace(parameter, (whole, name: string) => (secret.test(name) ? `${name}=••••` : whole));
}

/**
 * Masks what looks like a JWT: three parts, of which the first begins with `eyJ` at the start of a word. Linear: only
 * the first `eyJ` of a run of characters is tried, because a match at a later one would end at the same character.
 */
function withoutTokens(text: string): string {
  const start = /\beyJ(?=[\w-])/g;
  const parts: string[] = [];
  let done = 0;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const first = endOfRun(text, match.index);
    const second = text[first] === '.' ? endOfRun(text, first + 1) : first;
    if (second > first + 1 && text[second] === '.') {
      parts.push(text.slice(done, match.index), '••••');
      done = endOfRun(text, second + 1);
    }
    start.lastIndex = Math.max(done, first);
  }
  return parts.join('') + text.slice(done);
}

function endOfRun(text: string, from: number): number {
  const other = /[^\w-]/g;
  other.lastIndex = from;
  return other.exec(text)?.index ?? text.length;
}

/** The value of a parameter, decoded if possible. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
