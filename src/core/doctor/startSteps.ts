/** The real start, as the user would start it, and what came of it. */
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { ServerView } from '../catalog/hostApi.js';
import type { ServerOffer } from '../catalog/serverOffer.js';
import { failureText } from '../present/failureText.js';
import type { Localize } from '../present/localize.js';
import { defaultStepMs, seconds } from './attempt.js';
import type { Check } from './check.js';
import { failed, ok, warning } from './check.js';
import type { DoctorHost, DoctorOptions } from './doctorOptions.js';

const defaultHandshakeMs = 30_000;

export async function* startSteps(host: DoctorHost, id: string, { signal, t, onStep, handshakeMs = defaultHandshakeMs, stepMs = defaultStepMs }: DoctorOptions): AsyncGenerator<Check> {
  onStep?.('handshake');
  signal.throwIfAborted();
  const wasRunning = host.server(id)?.state.kind === 'running';
  if (!wasRunning) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(handshakeMs)]);
    try {
      await host.startServer(id, { interactive: false, signal: limit });
    } catch (error) {
      signal.throwIfAborted();
      yield limit.aborted ? failed('handshake', `It did not answer within ${seconds(handshakeMs)}.`, 'The first start of a package downloads it: try again, or raise "startTimeoutMs". Otherwise see its log.') : failedStart(error, host.server(id), id, t);
      return;
    }
  }
  const { offer } = host.server(id) ?? {};
  if (!offer) {
    yield failed('handshake', 'It ended right after its start.', 'See its log.');
    return;
  }
  if (wasRunning && !(await answers(host, id, stepMs, signal))) {
    yield failed('handshake', `It runs, and did not answer within ${seconds(stepMs)}.`, 'Restart it; if that does not help, see its log.');
    return;
  }
  yield ok('handshake', `It runs${wasRunning ? '' : ' now'} and speaks revision ${visibleLine(offer.identity.revision, 40)}.`);
  yield checkLists(offer);
}

/** Whether a running server still says something: any answer will do, a refusal too. */
async function answers(host: DoctorHost, id: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await host.ping(id, timeoutMs);
  } catch (error) {
    signal.throwIfAborted();
    return !(error instanceof HostError && (error.code === 'timeout' || error.code === 'closed'));
  }
  return true;
}

function checkLists({ tools, resources, resourceTemplates, prompts, warnings }: ServerOffer): Check {
  const all = resources.length + resourceTemplates.length;
  const counts = [counted(tools.length, 'tool'), counted(all, 'resource'), counted(prompts.length, 'prompt')].join(', ');
  if (warnings.length > 0) return warning('lists', `It offers ${counts}. ${warnings.map((line) => visibleLine(line)).join(' ')}`, 'What is left out is a fault of the server; see its log.');
  if (tools.length + all + prompts.length === 0) return warning('lists', 'It offers nothing.', 'Some servers need arguments or a sign-in before they offer something.');
  return ok('lists', `It offers ${counts}.`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function failedStart(error: unknown, view: ServerView | undefined, id: string, t: Localize): Check {
  const { what, next } = failureText(error, id, t);
  const said = (view?.stderr ?? []).slice(-3).map((line) => visibleLine(line, 200)).filter((line) => line !== '' && !what.includes(line));
  return failed('handshake', said.length === 0 ? what : `${what} It printed: ${said.join(' ⏎ ')}`, next);
}
