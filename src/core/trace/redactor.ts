/**
 * A trace as it may be kept or shown (security requirements S2, S3): without the values that are known as secrets in any
 * form, without what names, schemas and addresses mark as one. Everything else stays as it came.
 */
import { maskJson } from './maskJson.js';
import { maskPlainText } from './plainText.js';
import { dots, SecretFinder } from '../base/secretFinder.js';
import { isSecretName } from '../../shared/secretNames.js';
import type { SecretPlace } from './secretPlaces.js';
import type { TraceEntry } from './traceMessage.js';

/** JSON in texts in JSON is looked into so deep. */
const maxNesting = 3;

/** What is known about the messages of a trace besides their text. */
export interface MessageKnowledge {
  /** Where in a message secrets are. */
  placeOf(entry: TraceEntry): SecretPlace | undefined;
  /** Whether an argument that also travels as a header is secret. */
  isSecretHeader(entry: TraceEntry, name: string): boolean;
}

const nothingKnown: MessageKnowledge = { placeOf: () => undefined, isSecretHeader: () => false };

export class Redactor {
  private readonly finder: SecretFinder;

  /**
   * @param secrets values that are secret wherever they stand; those of less than 4 characters are left out.
   */
  constructor(
    secrets: readonly string[],
    private readonly knowledge: MessageKnowledge = nothingKnown,
  ) {
    this.finder = new SecretFinder(secrets);
  }

  /** The text of a line of the trace. */
  entry(entry: TraceEntry): string {
    if (entry.kind === 'note') return this.line(entry.text);
    return entry.cut > 0
      ? this.beginning(entry.text, this.knowledge.placeOf(entry))
      : this.message(entry.text, this.knowledge.placeOf(entry));
  }

  /** The first `length` characters of it, without reading the rest. */
  head(entry: TraceEntry, length: number): string {
    return entry.text.length <= length
      ? this.entry(entry)
      : this.beginning(entry.text.slice(0, length), this.knowledge.placeOf(entry));
  }

  /** A message that is whole. */
  message(text: string, place?: SecretPlace): string {
    return this.finder.mask(this.read(text, place, 0, false));
  }

  /** The beginning of a message that was cut: a secret that the cut went through does not stay in part. */
  beginning(text: string, place?: SecretPlace): string {
    return this.finder.maskBeginning(this.read(text, place, 0, true));
  }

  /** A text that is no message. */
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
