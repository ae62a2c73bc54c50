/**
 * Decides when a refused request leads to a question. The question comes after the request has ended, so no request
 * timeout runs while the user is in the browser. The server did not process the refused request, so it is safe to send
 * it again.
 */
import type { CallSignal } from '../base/lightAbort.js';
import { isCancelled } from '../base/hostError.js';
import { authError, isAuthError, problemOf } from './authProblem.js';
import type { SignInOptions } from './oauthOptions.js';

/** Maximum number of questions for one user action: a sign-in and two step-ups (security requirements A11, A12). */
const maxQuestions = 3;

/** Asks the user, and states whether a question is allowed. */
export interface SignInAsker {
  /** Whether the user may be asked now. */
  mayAsk: () => boolean;
  /** Signs in; rejects with HostError `cancelled` when the user declines. */
  signIn: (options: SignInOptions) => Promise<unknown>;
  signal?: CallSignal | undefined;
}

/** The questions of one user action. The same question is not repeated. */
export class SignInQuestions {
  private readonly asked = new Set<string>();

  /**
   * Asks the user for the sign-in or the scopes that a refusal requires. Resolves when they have signed in and the
   * request can be repeated. Rejects:
   * - with the refusal if it has another cause or the user may not be asked,
   * - with the refusal and `data.declined` if they decline,
   * - with `auth-failed` if they were already asked the same question, or were asked too often,
   * - with the error of the sign-in if it fails for another reason.
   */
  async answer(refusal: unknown, { mayAsk, signIn, signal }: SignInAsker): Promise<void> {
    const problem = problemOf(refusal);
    const isStepUp = problem === 'more-scopes-needed';
    if (!isAuthError(refusal) || (problem !== 'sign-in-needed' && !isStepUp) || !mayAsk()) throw refusal;
    const scopes = isStepUp ? refusal.data.scopes : undefined;
    const question = JSON.stringify([problem, scopes]);
    if (this.asked.has(question) || this.asked.size === maxQuestions) {
      throw authError(isStepUp ? 'scope-not-granted' : 'token-not-accepted', {
        server: String(refusal.data.server),
        issuer: refusal.data.issuer,
        detail: scopes?.join(' '),
      });
    }
    this.asked.add(question);
    try {
      await signIn({ scopes, isStepUp });
    } catch (error) {
      if (!isCancelled(error) || signal?.aborted === true) throw error;
      if (refusal.code === 'auth-required') refusal.data.declined = true;
      throw refusal;
    }
  }
}

/**
 * Runs `work`, and runs it again after each question that the user answered by signing in. Rejects with the same errors
 * as `answer`.
 */
export async function askingWhenRefused<T>(work: () => Promise<T>, asker: SignInAsker): Promise<T> {
  const questions = new SignInQuestions();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      await questions.answer(error, asker);
    }
  }
}
