/**
 * Why does a server not work? One check after the other, in the order in which things can go wrong, each with what was
 * seen and what to do. After a failure what depends on it is not tried. Runs and contacts nothing that is not approved.
 */
import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { HostApi, ServerView } from '../catalog/hostApi.js';
import type { ResolvedServer } from '../config/variables.js';
import { failureText } from '../present/failureText.js';
import type { Localize } from '../present/localize.js';
import type { Inspection } from '../catalog/inspection.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { parseRemoteAddress } from '../transport/remoteAddress.js';
import type { Check } from './check.js';
import { failed, ok, skipped, warning } from './check.js';
import { checkCommand, checkFiles, checkFolder, checkRuntime } from './localChecks.js';
import { checkCertificate, checkHttp, checkName, checkPort, checkProxy, checkSignIn } from './remoteChecks.js';

export interface Diagnosis {
  checks: readonly Check[];
  /** Values that must not be shown. */
  secretValues: readonly string[];
}

export interface DoctorOptions {
  signal: AbortSignal;
  t: Localize;
  /** How long the handshake may take, milliseconds. Default 30,000. */
  handshakeMs?: number;
  /** Told before each check. */
  onStep?: (id: Check['id']) => void;
}

type DoctorHost = Pick<HostApi, 'server' | 'startServer' | 'stopServer' | 'problems'>;

/** Runs the checks of one server. A cancelled run returns what was seen until then. */
export async function diagnose(host: DoctorHost, id: string, inspection: Inspection, options: DoctorOptions): Promise<Diagnosis> {
  const checks: Check[] = [];
  let resolved: ResolvedServer | undefined;
  const run = async () => {
    for await (const check of steps(host, id, inspection, options, (found) => (resolved = found))) {
      checks.push(check);
      options.signal.throwIfAborted();
    }
  };
  await run().catch((error: unknown) => {
    if (!options.signal.aborted && !isCancelled(error)) throw error;
  });
  return { checks, secretValues: resolved?.secretValues ?? [] };
}

async function* steps(host: DoctorHost, id: string, inspection: Inspection, options: DoctorOptions, onResolved: (resolved: ResolvedServer) => void): AsyncGenerator<Check> {
  const { entry, refusal } = inspection;
  const { onStep } = options;
  onStep?.('configuration');
  yield checkConfiguration(host, entry);
  if (refusal === undefined) yield ok('trust', entry.source.kind === 'user' ? 'It is defined in your own settings.' : 'You approved what it runs.');
  else yield failed('trust', refusal, 'Run "MCP Deck: Review Server…" on it. Until then nothing of it is run or contacted.');
  // Also paths may lead elsewhere: on some systems a look at one signs in to another machine.
  if (refusal !== undefined) {
    yield skipped('variables', 'Not looked at without your approval, nor anything after it.');
    return;
  }
  if (entry.definition.type === 'builtin') {
    yield* finish(host, id, options);
    return;
  }
  onStep?.('variables');
  let resolved: ResolvedServer;
  try {
    resolved = await inspection.resolve();
  } catch (error) {
    yield unresolved(error, id, options.t);
    return;
  }
  onResolved(resolved);
  yield ok('variables', 'All variables have values.');
  const way = resolved.type === 'stdio' ? local(resolved, inspection, options) : remote(resolved, inspection, options);
  for (let step = await way.next(); ; step = await way.next()) {
    if (step.done === true) {
      if (!step.value) return;
      break;
    }
    yield step.value;
  }
  yield* finish(host, id, options);
}

function unresolved(error: unknown, id: string, t: Localize): Check {
  const { what, next } = failureText(error, id, t);
  const { code, data } = error instanceof HostError ? error : { code: undefined, data: {} as Record<string, unknown> };
  if (code === 'not-trusted') return failed('variables', what, 'Start it by hand once: it asks for the value then.');
  const name = typeof data['variable'] === 'string' ? /^env:(.+)$/.exec(data['variable'])?.[1] : undefined;
  return failed('variables', what, name === undefined ? next : `Set ${visibleLine(name, 100)} where VS Code is started, and start VS Code anew; or ask for the value with \${input:…}.`);
}

function checkConfiguration(host: DoctorHost, { name, source, position, isEnabled }: ServerEntry): Check {
  const where = `${source.label}${position && source.fileUri !== undefined ? `, line ${position.line + 1}` : ''}`;
  const problem = host.problems().find((one) => one.source.id === source.id)?.problems.find(({ server }) => server === name);
  if (!isEnabled) return failed('configuration', `It stands in ${where}, and is disabled.`, 'Run "MCP Deck: Enable Server" on it, or take "disabled" out of the file.');
  return problem ? warning('configuration', `It stands in ${where}: ${problem.message}`, 'Correct the entry.') : ok('configuration', `It stands in ${where}, and can be read.`);
}

/** Returns whether a start makes sense. */
async function* local(resolved: Extract<ResolvedServer, { type: 'stdio' }>, inspection: Inspection, { signal, onStep }: DoctorOptions): AsyncGenerator<Check, boolean> {
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

async function* remote(resolved: Exclude<ResolvedServer, { type: 'stdio' }>, { env, getSetting }: Inspection, { onStep }: DoctorOptions): AsyncGenerator<Check, boolean> {
  let address;
  try {
    address = parseRemoteAddress(resolved.url);
  } catch (error) {
    yield failed('address', error instanceof Error ? error.message : String(error), 'Correct "url".');
    return false;
  }
  yield ok('address', `It is ${visibleLine(address.label)}.`);
  yield checkProxy(address, env, getSetting('http.proxy'));
  if (address.socketPath === undefined) {
    onStep?.('name');
    const name = await checkName(address);
    yield name;
    if (name.outcome === 'failed') return false;
  }
  onStep?.('port');
  const port = await checkPort(address);
  yield port;
  if (port.outcome === 'failed') return false;
  if (address.protocol === 'https:' || address.protocol === 'wss:') {
    onStep?.('certificate');
    const certificate = await checkCertificate(address, resolved.ca);
    yield certificate;
    if (certificate.outcome === 'failed') return false;
  } else if (!address.isLoopback) yield warning('certificate', 'The connection is not encrypted.', 'Write https:// in "url", where the server speaks it.');
  if (address.protocol.startsWith('ws')) return true;
  onStep?.('http');
  const { check, status, challenge } = await checkHttp(address, resolved);
  yield check;
  if (status === 401) {
    onStep?.('sign-in');
    yield await checkSignIn(address, resolved, challenge);
  }
  return check.outcome !== 'failed';
}

const defaultHandshakeMs = 30_000;

/** The real start, as the user would start it, and what came of it. */
async function* finish(host: DoctorHost, id: string, { signal, t, onStep, handshakeMs = defaultHandshakeMs }: DoctorOptions): AsyncGenerator<Check> {
  onStep?.('handshake');
  const before = host.server(id);
  if (before?.state.kind !== 'running') {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(handshakeMs)]);
    try {
      await host.startServer(id, { interactive: false, signal: limit });
    } catch (error) {
      signal.throwIfAborted();
      yield limit.aborted ? failed('handshake', `It did not answer within ${handshakeMs / 1_000} seconds.`, 'The first start of a package downloads it: try again, or raise "startTimeoutMs". Otherwise see its log.') : failedStart(error, host.server(id), id, t);
      return;
    }
  }
  const view = host.server(id);
  const { offer } = view ?? {};
  if (!view || !offer) {
    yield failed('handshake', 'It ended right after its start.', 'See its log.');
    return;
  }
  if (view.silentSince !== undefined) yield failed('handshake', 'It runs, and does not answer any more.', 'Restart it; if that does not help, see its log.');
  else yield ok('handshake', `It runs${before?.state.kind === 'running' ? '' : ' now'} and speaks revision ${visibleLine(offer.identity.revision, 40)}.`);
  const counts = `${offer.tools.length} tools, ${offer.resources.length + offer.resourceTemplates.length} resources, ${offer.prompts.length} prompts`;
  if (offer.warnings.length > 0) yield warning('lists', `It offers ${counts}. ${offer.warnings.map((line) => visibleLine(line)).join(' ')}`, 'What is left out is a fault of the server; see its log.');
  else if (offer.tools.length + offer.resources.length + offer.resourceTemplates.length + offer.prompts.length === 0) yield warning('lists', 'It offers nothing.', 'Some servers need arguments or a sign-in before they offer something.');
  else yield ok('lists', `It offers ${counts}.`);
}

function failedStart(error: unknown, view: ServerView | undefined, id: string, t: Localize): Check {
  const { what, next } = failureText(error, id, t);
  const said = (view?.stderr ?? []).slice(-3).map((line) => visibleLine(line, 200)).filter((line) => line !== '' && !what.includes(line));
  return failed('handshake', said.length === 0 ? what : `${what} It printed: ${said.join(' ⏎ ')}`, next);
}
