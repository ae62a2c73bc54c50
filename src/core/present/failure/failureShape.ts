/** The form of the texts about one class of failure. */
import type { FailureClass, FailureFacts } from './failureFacts.js';

/** What a message about a failure can offer. */
export type FailureAction =
  | 'showLog'
  | 'restartServer'
  | 'startServer'
  | 'reviewTrust'
  | 'manageWorkspaceTrust'
  | 'openConfiguration'
  | 'signIn'
  | 'showSignInTrace'
  | 'showRules'
  | 'reviewChange'
  | 'manageStoredValues';

/** The sentences of one class. */
export interface FailureText<Class extends FailureClass = FailureClass> {
  /** What happened, naming the server: whole sentences. */
  what(facts: FailureFacts<Class>): string;
  /** What to do, where the data of the failure tells: one sentence. */
  advice?(facts: FailureFacts<Class>): string | undefined;
  /** What to do otherwise, and where the failure itself brings no hint: one sentence. */
  next(facts: FailureFacts<Class>): string;
  /** The same in a few words, for the line of the server; default the beginning of the failure's own message. */
  short?(facts: FailureFacts<Class>): string | undefined;
  actions: readonly FailureAction[];
}
