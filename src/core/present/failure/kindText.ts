/** Selects the sentences of failures whose data specifies their kind. */
import { t } from '@vscode/l10n';
import { firstSentence } from '../text/lines.js';
import type { FailureClass, FailureFacts } from './failureFacts.js';
import { ended } from './failureFacts.js';
import type { FailureText } from './failureShape.js';

/** The texts of one kind of failure. */
export type KindText<Class extends FailureClass> = {
  /** Advice to the user. Default: the advice of the class. */
  next?: (facts: FailureFacts<Class>) => string | undefined;
} & (
  | {
      /** Describes the failure in whole sentences that mention the server. */
      what: (facts: FailureFacts<Class>) => string;
      /** A few words for the server's line in the tree. */
      short: (facts: FailureFacts<Class>) => string;
    }
  | {
      /** Describes the failure in a sentence without the server, which is added before the sentence. */
      said: (facts: FailureFacts<Class>) => string;
    }
);

/** The texts of all kinds of one class; the build fails if a kind is missing. */
export type KindTexts<Class extends FailureClass, Kind extends string> = Readonly<Record<Kind, KindText<Class>>>;

/**
 * The texts of a class whose failures are of different kinds.
 * @param kindOf returns the kind of a failure; undefined if its data does not specify one.
 * @param rest the texts for failures without a kind, and the defaults for the others.
 */
export function byKind<Class extends FailureClass, Kind extends string>(
  texts: KindTexts<Class, Kind>,
  kindOf: (facts: FailureFacts<Class>) => Kind | undefined,
  rest: FailureText<Class>,
): FailureText<Class> {
  const find = (facts: FailureFacts<Class>): KindText<Class> | undefined => {
    const kind = kindOf(facts);
    return kind !== undefined && Object.hasOwn(texts, kind) ? texts[kind] : undefined;
  };
  return {
    ...rest,
    what: (facts) => {
      const text = find(facts);
      if (!text) return rest.what(facts);
      return 'what' in text ? text.what(facts) : facts.about(text.said(facts));
    },
    advice: (facts) => {
      const text = find(facts);
      return text ? (text.next?.(facts) ?? rest.advice?.(facts) ?? rest.next(facts)) : rest.advice?.(facts);
    },
    short: (facts) => {
      const given = rest.short?.(facts);
      if (given !== undefined) return given;
      const text = find(facts);
      if (!text) return undefined;
      return firstSentence('what' in text ? text.short(facts) : text.said(facts), 100);
    },
  };
}

/** The failed request for use within a sentence: an MCP method, or a translated description. */
export function requestText(name: string): string {
  switch (name) {
    case 'an answer':
      return t('a response');
    case 'the end of the session':
      return t('the end of the session');
    case 'the request for an event stream':
      return t('the request for an event stream');
    case 'the request for the event stream':
      return t('the request for the event stream');
    case 'the WebSocket handshake':
      return t('the WebSocket handshake');
    default:
      return name;
  }
}

/** The text of a library or a server, formatted as the end of a sentence. */
export function quoted(words: string | undefined): string {
  return ended(words ?? t('no reason was given'));
}
