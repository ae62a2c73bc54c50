/**
 * Prepares a trace to be stored or shown (security requirements S2, S3): masks known secrets in any encoding, and the
 * values that names, schemas and URLs mark as secret. Everything else is unchanged.
 */
import { maskJson } from './maskJson.js';
import { maskPlainText } from '../../shared/plainText.js';
import { dots, SecretFinder } from '../base/secretFinder.js';
import { isSecretName } from '../../shared/secretNames.js';
import type { SecretPlace } from './secretPlaces.js';
import type { TraceEntry } from './traceMessage.js';

/** Maximum number of nested JSON strings in which secrets are searched. */
const maxNesting = 3;

/** Data about the messages of a trace that their text does not contain. */
export interface MessageKnowledge {
  /** The places of secrets in the message. */
  placeOf(entry: TraceEntry): SecretPlace | undefined;
  /** Whether an argument that is also sent as a header is secret. */
  isSecretHeader(entry: TraceEntry, name: string): boolean;
}

const nothingKnown: MessageKnowledge = { placeOf: () => undefined, isSecretHeader: () => false };

export class Redactor {
  private readonly finder: SecretFinder;

  /** @param secrets values that are masked wherever they occur; values shorter than 4 characters are ignored. */
  constructor(
    secrets: readonly string[],
    private readonly knowledge: MessageKnowledge = nothingKnown,
  ) {
    this.finder = new SecretFinder(secrets);
  }

  /** The text of a line of the trace, with secrets masked. */
  entry(entry: TraceEntry): string {
    if (entry.kind === 'note') return this.line(entry.text);
    return entry.cut > 0
      ? this.beginning(entry.text, this.knowledge.placeOf(entry))
      : this.message(entry.text, this.knowledge.placeOf(entry));
  }

  /** The first `length` characters of the text, with secrets masked; the rest is not read. */
  head(entry: TraceEntry, length: number): string {
    return entry.text.length <= length
      ? this.entry(entry)
      : this.beginning(entry.text.slice(0, length), this.knowledge.placeOf(entry));
  }

  /** Masks a complete message. */
  message(text: string, place?: SecretPlace): string {
    return this.finder.mask(this.read(text, place, 0, false));
  }

  /** Masks the beginning of a truncated message. If a secret was cut in two, its remaining part is masked as well. */
  beginning(text: string, place?: SecretPlace): string {
    return this.finder.maskBeginning(this.read(text, place, 0, true));
  }

  /** Masks text that is not a message. */
  line(text: string): string {
    return this.finder.mask(maskPlainText(text));
  }

  headers(entry: TraceEntry): Record<string, string> {
    const isSecret = (name: string) => isSecretName(name) || this.knowledge.isSecretHeader(entry, name);
    return Object.fromEntries(
      Object.entries(entry.headers ?? {}).map(([name, value]) => [
        this.finder.mask(name),
        isSecret(name) ? dots : this.line(value),
      ]),
    );
  }

  private read(text: string, place: SecretPlace | undefined, depth: number, isCut: boolean): string {
    if (!/^\s*[{[]/.test(text))
      return isCut ? this.finder.maskBeginning(maskPlainText(text)) : this.finder.mask(maskPlainText(text));
    return maskJson(
      text,
      {
        whole: (inner, at, isWritten) => this.inner(inner, at, isWritten),
        beginning: (inner, at) => this.finder.maskBeginning(this.inner(inner, at, true, true)),
      },
      place,
      depth,
    );
  }

  private inner(text: string, depth: number, isWritten: boolean, isCut = false): string {
    const isJson = depth < maxNesting && text.length > 2 && /^\s*[{[]/.test(text) && text.includes('"');
    const masked = isJson ? this.read(text, undefined, depth + 1, isCut) : maskPlainText(text);
    return isWritten ? masked : this.finder.mask(masked);
  }
}
