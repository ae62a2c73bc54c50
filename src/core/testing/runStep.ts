import { t } from '@vscode/l10n';
import { isObject, without } from '../base/guards.js';
import { HostError, UserError, isCancelled } from '../base/hostError.js';
import { visibleText } from '../base/hostileText.js';
import type { CallOptions } from '../catalog/hostTypes.js';
import { failureText } from '../present/failure/failureText.js';
import { ProtocolError } from '../protocol/jsonRpc.js';
import { listAll, ListBudget } from '../session/listing.js';
import { filesOf } from './assertChecks.js';
import type { CheckContext } from './checkOutcome.js';
import { checkOutcome, waitsForNotifications } from './checkOutcome.js';
import { valueAtPath } from './jsonPath.js';
import { shownValue } from './matchers.js';
import type { RequestOutcome } from './outcome.js';
import { jsonIn, outcomeText } from './outcome.js';
import type { TestCheck, TestFailure, TestRequest, TestStep } from './testModel.js';
import type { TestServer } from './testServer.js';
import { refusalText, unshownToolText } from './refusalText.js';
import type { Notation, Values } from './values.js';
import { asText, filledIn, roomForValues } from './values.js';

/** How long notifications may come after the result, in milliseconds. */
const graceMs = 1_000;

export interface StepContext extends Pick<CheckContext, 'snapshots' | 'caseName' | 'checkSchema' | 'files'> {
  server: TestServer;
  values: Values;
  notation: Notation;
  signal: AbortSignal;
  /** Time limit of the request, in milliseconds. */
  timeoutMs: number;
  /** The only tools that may be called: those that the user saw in the question before the run. Absent: all tools. */
  shownTools?: ReadonlySet<string> | undefined;
}

/** Sends the request of a step, and checks the answer and the notifications. */
export async function runStep(
  step: TestStep,
  context: StepContext,
): Promise<{ failures: TestFailure[]; saved: Record<string, unknown> }> {
  const { server, values, notation } = context;
  const room = roomForValues();
  const request = filledIn(step.request, values, notation, room) as TestRequest;
  const checks = step.checks.map((check) => ({ ...check, value: filledIn(check.value, values, notation, room) }));
  const filesBefore = new Map(
    checks.flatMap((check) => filesOf(check)).map((file) => [file, context.files.text(file)]),
  );
  const { line, column } = step;
  if (request.kind === 'call' && context.shownTools?.has(asText(request.tool)) === false)
    return { failures: [{ line, column, message: unshownToolText(asText(request.tool)) }], saved: {} };
  const outcome = await send(request, checks, context);
  const unexpected = unexpectedFailure(step, outcome, notation);
  if (unexpected !== undefined) return { failures: [{ line, column, ...unexpected }], saved: {} };
  const failures: TestFailure[] = [];
  for (const check of checks) {
    const failure = await settled(check, outcome, {
      ...context,
      filesBefore,
      findTool: (name) => server.host.servers.get(server.id)?.features?.tools.find((tool) => tool.name === name),
    });
    if (failure) failures.push(failure);
    // mcp-assert reports the first failure only.
    if (failure && notation === 'mcp-assert') break;
  }
  return { failures, ...saved(step, outcome, notation, failures) };
}

/**
 * Checks an expectation. An expectation about notifications is checked again for a short time, because notifications
 * can arrive after the result.
 */
async function settled(
  check: TestCheck,
  outcome: RequestOutcome,
  context: StepContext & CheckContext,
): Promise<TestFailure | undefined> {
  const now = () => checkOutcome(check, { ...outcome, notifications: [...context.server.notifications] }, context);
  let failure = await now();
  if (!failure || !waitsForNotifications(check)) return failure;
  const deadline = AbortSignal.any([context.signal, AbortSignal.timeout(graceMs)]);
  while (failure && !deadline.aborted) {
    await new Promise<void>((resolve) => {
      const listening = context.server.onDidReceive(() => end());
      const end = () => {
        listening.dispose();
        deadline.removeEventListener('abort', end);
        resolve();
      };
      deadline.addEventListener('abort', end, { once: true });
    });
    failure = await now();
  }
  return failure;
}

/** Why a step failed although no expectation is about the failure. */
function unexpectedFailure(
  step: TestStep,
  outcome: RequestOutcome,
  notation: Notation,
): Pick<TestFailure, 'message' | 'actual'> | undefined {
  const { error, result, schemaProblems } = outcome;
  if (error?.refusal !== undefined) return { message: error.refusal };
  if (error) return step.checks.some(({ kind }) => kind === 'error') ? undefined : { message: error.message };
  if (step.failsOnError && result?.['isError'] === true)
    return { message: t('The tool reported an error.'), actual: visibleText(outcomeText(outcome)) };
  if (notation === 'mcptest' && schemaProblems.length > 0 && result?.['isError'] !== true)
    return { message: t('The result does not match the output schema: {0}', schemaProblems.join('; ')) };
  return undefined;
}

function saved(
  step: TestStep,
  outcome: RequestOutcome,
  notation: Notation,
  failures: TestFailure[],
): { saved: Record<string, unknown> } {
  const values: Record<string, unknown> = {};
  // Paths of mcp-assert lead into the JSON of the text.
  const root = notation === 'mcp-assert' ? jsonIn(outcomeText(outcome)) : outcome.result;
  for (const { name, path, line, column } of step.save) {
    const value = valueAtPath(root, path);
    if (value === undefined)
      failures.push({
        line,
        column,
        message: t('The result has no value at {0}.', path),
        actual: shownValue(outcome.result),
      });
    else values[name] = value;
  }
  return { saved: values };
}

async function send(request: TestRequest, checks: readonly TestCheck[], context: StepContext): Promise<RequestOutcome> {
  const { server, signal, timeoutMs } = context;
  let progress = 0;
  const schemaProblems: string[] = [];
  const wantsProgress = checks.some(({ kind, key }) => kind === 'progress' || key === 'min_progress');
  const options: CallOptions = {
    signal,
    timeoutMs,
    onOutputProblems: (problems) => schemaProblems.push(...problems),
    ...(wantsProgress ? { onProgress: () => progress++ } : {}),
  };
  server.beginRequest();
  const began = performance.now();
  const rest = () => ({
    request,
    elapsedMs: performance.now() - began,
    progress,
    notifications: server.notifications,
    asked: server.asked,
    schemaProblems,
  });
  try {
    const result = await answer(request, server, options);
    return { ...rest(), result: isObject(result) ? result : {} };
  } catch (error) {
    if (isCancelled(error) || signal.aborted) throw error;
    if (error instanceof ProtocolError) return { ...rest(), error: { code: error.code, message: error.message } };
    if (!(error instanceof HostError)) throw error;
    const refusal = refusalText(error, server.id);
    return {
      ...rest(),
      error: { message: failureText(error, server.id).what, ...(refusal === undefined ? {} : { refusal }) },
    };
  }
}

async function answer(request: TestRequest, { host, id }: TestServer, options: CallOptions): Promise<unknown> {
  const ask = (method: string, params: Record<string, unknown>) =>
    host.calls.sendRequest({ server: id, method, params }, options);
  switch (request.kind) {
    case 'call':
      return host.calls.runTool(
        { server: id, tool: request.tool, arguments: request.arguments },
        { ...options, caller: 'script', isApi: true },
      );
    case 'read':
      return host.calls.readResource({ server: id, uri: request.uri, isFresh: true }, options);
    case 'get': {
      const texts = Object.entries(request.arguments).map(([name, value]) => [name, asText(value)] as const);
      return host.calls.getPrompt(
        { server: id, prompt: request.prompt, arguments: Object.fromEntries(texts) },
        options,
      );
    }
    case 'complete':
      return ask('completion/complete', { ref: request.reference, argument: request.argument });
    case 'setLevel':
      // In the modern era, every request names the level itself.
      return host.servers.get(id)?.features?.identity.revision === '2026-07-28'
        ? {}
        : ask('logging/setLevel', { level: request.level });
    case 'list': {
      const { list, cursor } = request;
      const isTemplates = list === 'templates';
      const method = isTemplates ? 'resources/templates/list' : `${list}/list`;
      return wholeList(method, isTemplates ? 'resourceTemplates' : list, cursor, ask);
    }
  }
}

/**
 * All pages of a list as one result. If a cursor is given, the result contains only that page. Throws if the list does
 * not end, or needs more than `maxBytes` of memory.
 * @param maxBytes default 24 MiB.
 */
export async function wholeList(
  method: string,
  key: string,
  cursor: string | undefined,
  ask: (method: string, params: Record<string, unknown>) => Promise<unknown>,
  maxBytes?: number,
): Promise<unknown> {
  let whole: Record<string, unknown> = {};
  const send = async (method: string, params: Record<string, unknown> = {}) => {
    const result = await ask(method, params);
    whole = isObject(result) ? result : {};
    return whole;
  };
  const itemsOf = (result: Record<string, unknown>) => (Array.isArray(result[key]) ? (result[key] as unknown[]) : []);
  const items =
    cursor === undefined
      ? (await listAll(method, send, itemsOf, cutList, new ListBudget(maxBytes))).items
      : itemsOf(await send(method, { cursor }));
  return { ...without(whole, 'nextCursor'), [key]: items };
}

/** Throws, because a test of an incomplete list would pass or fail for the wrong reason. */
function cutList(): never {
  throw new UserError(t('The list of the server does not end, or is too large.'));
}
