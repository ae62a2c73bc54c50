/**
 * When a refused request leads to a question. The user is asked outside of every request: while they are in the browser no
 * timeout runs, and the request that the server refused, and so did not process, is made again afterwards.
 */
import { isCancelled } from '../base/hostError.js';
import { authError, isAuthError, problemOf } from './authProblem.js';
import type { SignInOptions } from './oauthAuthorizer.js';

/** The most questions that one action of a user may lead to: a sign-in and two step-ups (requirements A11, A12). */
const maxQuestions = 3;

/** How the user is asked. */
export interface SignInAsker {
  /** Whether the user may be asked now. */
  mayAsk: () => boolean;
  /** Signs in; rejects with HostError `cancelled` when the user does not want to. */
  signIn: (options: SignInOptions) => Promise<unknown>;
  signal?: AbortSignal | undefined;
}

/** The questions of one action of a user. The same question is not asked twice. */
export class SignInQuestions {
  private readonly asked = new Set<string>();

  /**
   * Asks the user for what a refusal says is missing. Resolves when they signed in and the request is worth repeating.
   * Rejects with the refusal itself when it is about something else or the user may not be asked, with the refusal and
   * its `data.declined` set when they do not want to, and with `auth-failed` when they were asked for the same before or
   * too often.
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

/** Runs `work`, and runs it again after each question that the user answered by signing in. Rejects as `answer` does. */
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
