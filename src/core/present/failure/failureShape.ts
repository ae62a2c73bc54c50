/** The types for the texts of one class of failures. */
import type { FailureClass, FailureFacts } from './failureFacts.js';

/** The buttons of a message about a failure. */
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
  | 'manageStoredValues'
  /** Starts a failed server again. */
  | 'tryAgain'
  | 'editServer'
  | 'diagnoseServer'
  | 'showServers'
  /** Asks for a secret that is missing: an environment variable or a header. */
  | 'setSecret'
  /** Asks for another value of a secret that the server refused. */
  | 'replaceSecret';

/** The sentences of one class of failures. */
export interface FailureText<Class extends FailureClass = FailureClass> {
  /** Describes the failure in whole sentences that mention the server. */
  what(facts: FailureFacts<Class>): string;
  /** States what to do, in one or two sentences, if the data of the failure determines it. */
  advice?(facts: FailureFacts<Class>): string | undefined;
  /**
   * States what to do, in one or two sentences. Used if there is no remark, `advice` returns nothing, and the error has
   * no hint.
   */
  next(facts: FailureFacts<Class>): string;
  /** A few words for the server's line in the tree. Default: the beginning of the error's message. */
  short?(facts: FailureFacts<Class>): string | undefined;
  actions: readonly FailureAction[];
  /** The buttons, if the data of the failure determines them. */
  buttons?(facts: FailureFacts<Class>): readonly FailureAction[] | undefined;
}
