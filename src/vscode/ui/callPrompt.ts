import { HostError } from '../../core/base/hostError.js';
import type { CallAnswer, CallAsker, CallQuestion } from '../../core/consent/toolConsent.js';
import type { RequestQueue } from '../../core/requests/requestQueue.js';
import { askAboutCall } from './callDialog.js';

/** Where somebody waits for a call the question comes at once; all others wait in the Requests view, which interrupts nobody. */
export class CallPrompt implements CallAsker {
  constructor(private readonly queue: RequestQueue) {}

  async ask(question: CallQuestion, signal: AbortSignal = new AbortController().signal): Promise<CallAnswer> {
    if (question.caller !== 'user' && question.isAtHand !== true) return this.queue.askCall(question, signal);
    const answer = await askAboutCall(question);
    signal.throwIfAborted();
    if (!answer) throw new HostError('cancelled', 'The user did not answer.');
    return answer;
  }
}
