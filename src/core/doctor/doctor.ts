/**
 * Finds out why a server does not work. The checks run in the order in which problems can occur. Each check reports its
 * finding and a fix. If a check fails, the checks that depend on it are skipped. Nothing is started or contacted
 * without approval.
 */
import { t } from '@vscode/l10n';
import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Inspection } from '../catalog/inspection.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import { failureText } from '../present/failure/failureText.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { defaultStepMs } from './attempt.js';
import type { Check, DoctorHost, DoctorOptions } from './check.js';
import { failed, ok, skipped, warning } from './check.js';
import { checkCommand, checkFiles, checkFolder, checkRuntime } from './localChecks.js';
import { maskedCheck } from './maskedCheck.js';
import { remoteSteps } from './remoteSteps.js';
import { startSteps } from './startSteps.js';

/** The results of the checks, with the secret values of the definition masked. */
export interface Diagnosis {
  checks: readonly Check[];
}

/** Runs the checks of one server. A canceled run returns the results so far. */
export async function diagnose(
  host: DoctorHost,
  id: string,
  inspection: Inspection,
  options: DoctorOptions,
): Promise<Diagnosis> {
  const checks: Check[] = [];
  const hidden = new Set<string>();
  const run = async () => {
    for await (const check of steps(host, id, inspection, options, hidden)) {
      checks.push(check);
      options.onCheck?.(maskedCheck(check, [...hidden, ...host.servers.secretValues(id)]));
      options.signal.throwIfAborted();
    }
  };
  await run().catch((error: unknown) => {
    if (!options.signal.aborted && !isCancelled(error)) throw error;
  });
  // The tokens of a sign-in become known only when a check uses them, so read the secrets after the checks.
  const secrets = [...hidden, ...host.servers.secretValues(id)];
  return { checks: judged(checks).map((check) => maskedCheck(check, secrets)) };
}

/** The checks for the report: if the handshake succeeded, failures of other checks become warnings. */
function judged(checks: readonly Check[]): readonly Check[] {
  const works = checks.some(({ id, outcome }) => id === 'handshake' && outcome === 'ok');
  return works
    ? checks.map((check) => (check.outcome === 'failed' ? { ...check, outcome: 'warning' as const } : check))
    : checks;
}

async function* steps(
  host: DoctorHost,
  id: string,
  inspection: Inspection,
  options: DoctorOptions,
  hidden: Set<string>,
): AsyncGenerator<Check> {
  const { entry, refusal } = inspection;
  const { onStep, signal, stepMs = defaultStepMs } = options;
  onStep?.('configuration');
  yield checkConfiguration(host, entry);
  if (refusal === undefined)
    yield ok(
      'trust',
      entry.source.kind === 'user'
        ? t('The server is defined in your own settings.')
        : entry.source.kind === 'builtin'
          ? t('The server is part of MCP Deck, so it needs no approval.')
          : t('You approved what the server runs or connects to.'),
    );
  else {
    const { what, next } = failureText(refusal, entry.name);
    yield failed('trust', what, next);
  }
  // Without approval, no path is read either, because on some systems, access to a path can send credentials to another
  // machine.
  if (refusal !== undefined) {
    yield skipped(
      'variables',
      t('This check and all later checks were skipped, because the server is not allowed to start.'),
    );
    return;
  }
  if (!entry.isEnabled) {
    yield skipped('variables', t('This check and all later checks were skipped, because the server is disabled.'));
    return;
  }
  if (entry.definition.type !== 'builtin') {
    onStep?.('variables');
    let resolved: ResolvedServer;
    try {
      resolved = await inspection.resolve();
    } catch (error) {
      yield unresolved(error, entry.name);
      return;
    }
    const hide = (values: readonly string[]) => values.forEach((value) => hidden.add(value));
    hide(resolved.secretValues);
    yield ok('variables', t('All variables have values.'));
    const remote = { signIns: host.signIns, stepMs, signal, onStep, hide };
    const makesSense = yield* resolved.type === 'stdio'
      ? localSteps(resolved, inspection, options)
      : remoteSteps(id, resolved, inspection, remote);
    if (!makesSense) return;
  }
  yield* startSteps(host, id, inspection, options);
}

function unresolved(error: unknown, server: string): Check {
  const { what, next } = failureText(error, server);
  if (error instanceof HostError && error.code === 'needs-input')
    return failed('variables', what, t('Start the server manually once, and enter the value.'));
  const variable = error instanceof HostError && error.code === 'bad-configuration' ? error.data.variable : undefined;
  const name = /^env:(.+)$/.exec(variable ?? '')?.[1];
  return failed(
    'variables',
    what,
    name === undefined
      ? next
      : t(
          'Set {0} in the environment that VS Code starts in, and then restart VS Code. Or use ${input:…}, so that MCP Deck asks for the value.',
          visibleLine(name, 100),
        ),
  );
}

function checkConfiguration(host: DoctorHost, { name, source, position, isEnabled }: ServerEntry): Check {
  const where =
    position && source.fileUri !== undefined ? t('{0}, line {1}', source.label, position.line + 1) : source.label;
  const problem = host.servers
    .problems()
    .find((one) => one.source.id === source.id)
    ?.problems.find(({ server }) => server === name);
  if (!isEnabled)
    return failed(
      'configuration',
      t('The server is defined in {0} and is disabled.', where),
      t('Run "MCP Deck: Enable Server", or remove "disabled" from the definition.'),
    );
  return problem
    ? warning(
        'configuration',
        t('The definition in {0} has a problem: {1}', where, problem.message),
        t('Correct the definition.'),
      )
    : ok('configuration', t('The server is defined in {0}, and the definition has no problems.', where));
}

/** Yields the checks of a local server. Returns whether to try a start. */
async function* localSteps(
  resolved: Extract<ResolvedServer, { type: 'stdio' }>,
  inspection: Inspection,
  { signal, onStep }: DoctorOptions,
): AsyncGenerator<Check, boolean> {
  onStep?.('command');
  const folder = checkFolder(resolved);
  yield folder;
  const env = await inspection.environment(resolved);
  const { check, found } = checkCommand(resolved, env, inspection.platform);
  yield check;
  const files = checkFiles(resolved);
  yield files;
  if (found === undefined || folder.outcome === 'failed') return false;
  onStep?.('runtime');
  yield await checkRuntime(resolved, found, env, signal);
  return files.outcome !== 'failed';
}
