/** Starts the server without questions to the user, or pings a running server, and reports the result. */
import { t } from '@vscode/l10n';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Inspection } from '../catalog/inspection.js';
import type { ServerView } from '../catalog/hostTypes.js';
import type { ServerFeatures } from '../catalog/serverFeatures.js';
import { failureLines, failureText, reportOf } from '../present/failure/failureText.js';
import { ProtocolError } from '../protocol/jsonRpc.js';
import { defaultStepMs, seconds } from './attempt.js';
import type { Check, DoctorHost, DoctorOptions } from './check.js';
import { failed, ok, warning } from './check.js';
import type { TrialOptions } from './trialStarts.js';
import { tryChanges } from './trialStarts.js';

const defaultHandshakeMs = 30_000;

/** Yields the checks of the start as they finish. Throws the reason of `signal` if it is aborted. */
export async function* startSteps(
  host: DoctorHost,
  id: string,
  inspection: Inspection,
  { signal, onStep, handshakeMs = defaultHandshakeMs, stepMs = defaultStepMs }: DoctorOptions,
): AsyncGenerator<Check> {
  onStep?.('handshake');
  signal.throwIfAborted();
  const wasRunning = host.servers.get(id)?.state.kind === 'running';
  if (!wasRunning) {
    // A timer instead of `AbortSignal.timeout`: in `AbortSignal.any`, nothing else references such a signal, so it may
    // be garbage-collected before it fires.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), handshakeMs);
    try {
      await host.lifecycle.start(id, { interactive: false, signal: AbortSignal.any([signal, limit.signal]) });
    } catch (error) {
      signal.throwIfAborted();
      const isOverLimit = limit.signal.aborted;
      clearTimeout(timer);
      const trial = await tryAnotherWay(error, isOverLimit, inspection, { trialMs: stepMs, signal });
      if (trial) yield trial;
      else
        yield isOverLimit
          ? failed(
              'handshake',
              t('The server did not respond within {0}.', seconds(handshakeMs)),
              t(
                'The first start of a package downloads it. Try again, or increase "startTimeoutMs". If the problem recurs, check the log of the server.',
              ),
            )
          : failedStart(error, host.servers.get(id), id);
      return;
    } finally {
      clearTimeout(timer);
    }
  }
  const { features } = host.servers.get(id) ?? {};
  if (!features) {
    yield failed('handshake', t('The server ended right after its start.'), t('Check the log of the server.'));
    return;
  }
  if (wasRunning && !(await answers(host, id, stepMs, signal))) {
    yield failed(
      'handshake',
      t('The server is running but did not respond within {0}.', seconds(stepMs)),
      t('Restart the server. If the problem recurs, check its log.'),
    );
    return;
  }
  yield ok(
    'handshake',
    t(
      wasRunning ? 'The server is running with revision {0}.' : 'The server is now running with revision {0}.',
      visibleLine(features.identity.revision, 40),
    ),
  );
  yield checkLists(features);
}

/**
 * Tries changes of the definition if the server was started but did not complete the handshake. For other failures, the
 * reason is known, so no change is tried.
 */
function tryAnotherWay(
  error: unknown,
  isOverLimit: boolean,
  inspection: Inspection,
  options: Omit<TrialOptions, 'mayBeFraming'>,
): Promise<Check | undefined> {
  const code = error instanceof HostError ? error.code : undefined;
  const isLate = isOverLimit || code === 'timeout';
  if (!isLate && code !== 'handshake-failed' && code !== 'unsupported-version' && !(error instanceof ProtocolError))
    return Promise.resolve(undefined);
  const wroteNothing = error instanceof HostError && error.code === 'timeout' && error.data.wroteNothing === true;
  return tryChanges(inspection, { ...options, mayBeFraming: isOverLimit || wroteNothing });
}

/** Checks whether a running server still responds. An error response is a response as well. */
async function answers(host: DoctorHost, id: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await host.calls.ping(id, timeoutMs);
  } catch (error) {
    signal.throwIfAborted();
    return !(error instanceof HostError && (error.code === 'timeout' || error.code === 'closed'));
  }
  return true;
}

function checkLists({ tools, resources, resourceTemplates, prompts, skills, warnings }: ServerFeatures): Check {
  const all = resources.length + resourceTemplates.length;
  const counts = [
    counted(tools.length, t('1 tool'), t('{0} tools', tools.length)),
    counted(all, t('1 resource'), t('{0} resources', all)),
    counted(prompts.length, t('1 prompt'), t('{0} prompts', prompts.length)),
    ...(skills ? [counted(skills.entries.length, t('1 skill'), t('{0} skills', skills.entries.length))] : []),
  ].join(', ');
  const problems = [
    ...warnings,
    ...(skills?.problem === undefined ? [] : [t('Skills could not be listed: {0}', skills.problem)]),
  ];
  if (problems.length > 0)
    return warning(
      'lists',
      t('The server offers {0}. {1}', counts, problems.map((line) => visibleLine(line)).join(' ')),
      t('Some lists or items could not be loaded completely. For details, see the log of the server.'),
    );
  if (tools.length + all + prompts.length + (skills?.entries.length ?? 0) === 0)
    return warning(
      'lists',
      t('The server offers nothing.'),
      t('Some servers need arguments or a sign-in before they offer tools, resources, or prompts.'),
    );
  return ok('lists', t('The server offers {0}.', counts));
}

function counted(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

function failedStart(error: unknown, view: ServerView | undefined, id: string): Check {
  const { what, next } = failureText(error, id);
  // The last lines of a crash are usually a stack trace, so they are omitted if the crash report names the cause.
  const said = (reportOf(error)?.cause === undefined ? failureLines(error, view?.stderr ?? []) : [])
    .slice(-3)
    .map((line) => visibleLine(line, 200))
    .filter((line) => line !== '' && !what.includes(line));
  return failed(
    'handshake',
    said.length === 0 ? what : t('{0} The output of the server was: {1}', what, said.join(' ⏎ ')),
    next,
  );
}
