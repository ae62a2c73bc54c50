import { t } from '@vscode/l10n';
import { visibleLine } from '../../../base/hostileText.js';
import { jsonText } from '../../../base/jsonText.js';
import type { JsonSchema, Tool } from '../../../protocol/mcp.js';
import type { LintSeverity } from '../lint/lintRule.js';

/** How a server answered one call. */
export type FuzzOutcome =
  | { kind: 'result'; isError: boolean; hasText: boolean; outputProblems: readonly string[] }
  /** A protocol error. */
  | { kind: 'refused'; code: number; message: string }
  | { kind: 'hung' }
  /** The server ended. */
  | { kind: 'crashed'; message: string };

export interface FuzzFinding {
  rule: (typeof fuzzRules)[number]['id'];
  severity: LintSeverity;
  tool: string;
  /** The number of the call, which the seed reproduces. */
  run: number;
  message: string;
  /** The arguments of the call as JSON, cut to 500 characters. */
  arguments: string;
}

/** The kinds of findings of calls with generated arguments. */
export const fuzzRules = [
  { id: 'fuzz-crash', severity: 'error' },
  { id: 'fuzz-hang', severity: 'error' },
  { id: 'fuzz-output', severity: 'error' },
  { id: 'fuzz-internal-error', severity: 'warning' },
  { id: 'fuzz-error-text', severity: 'warning' },
] as const;

export interface FuzzOptions {
  seed: number;
  /** The number of calls for each tool. */
  runs: number;
  signal: AbortSignal;
  /** Generates the arguments, see `fuzzArguments`. A window does it in a worker thread. */
  generate: GenerateArguments;
  /** Calls a tool. Starts the server again if an earlier call ended it. */
  call: (tool: string, values: Record<string, unknown>) => Promise<FuzzOutcome>;
  /** Called before the calls of a tool. */
  onTool?: (tool: string) => void;
  /** Called after the calls of a tool, with its findings. */
  onToolEnd?: (tool: string, findings: readonly FuzzFinding[]) => void;
}

/** The arguments of a number of calls. The same schema, seed and count give the same arguments. */
export type GenerateArguments = (
  schema: JsonSchema,
  seed: number,
  count: number,
) => readonly Record<string, unknown>[] | Promise<readonly Record<string, unknown>[]>;

/** A tool is not called again after this number of crashes or calls without an answer. */
const maxBreakdowns = 3;

/** Whether a call of the tool changes nothing, according to its server. */
export function onlyReads({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}

/** Calls tools with generated arguments. Returns the first finding of each rule for each tool. */
export async function fuzzServer(tools: readonly Tool[], options: FuzzOptions): Promise<FuzzFinding[]> {
  const findings: FuzzFinding[] = [];
  for (const tool of tools) {
    options.onTool?.(tool.name);
    const found = await fuzzTool(tool, options);
    options.onToolEnd?.(tool.name, found);
    findings.push(...found);
  }
  return findings;
}

async function fuzzTool(tool: Tool, { seed, runs, signal, generate, call }: FuzzOptions): Promise<FuzzFinding[]> {
  const found = new Map<string, FuzzFinding>();
  let breakdowns = 0;
  for (const [run, values] of (await generate(tool.inputSchema, seed, runs)).entries()) {
    signal.throwIfAborted();
    const outcome = await call(tool.name, values);
    const problem = problemOf(outcome);
    if (problem && !found.has(problem.rule)) {
      const { severity = 'error' } = fuzzRules.find(({ id }) => id === problem.rule) ?? {};
      found.set(problem.rule, {
        ...problem,
        severity,
        tool: tool.name,
        run,
        arguments: jsonText(values).slice(0, 500),
      });
    }
    if (outcome.kind === 'crashed' || outcome.kind === 'hung') breakdowns++;
    if (breakdowns === maxBreakdowns) break;
  }
  return [...found.values()];
}

function problemOf(outcome: FuzzOutcome): Pick<FuzzFinding, 'rule' | 'message'> | undefined {
  switch (outcome.kind) {
    case 'crashed':
      return { rule: 'fuzz-crash', message: t('The server ended: {0}', visibleLine(outcome.message, 300)) };
    case 'hung':
      return { rule: 'fuzz-hang', message: t('The call was not answered in time.') };
    case 'refused':
      return outcome.code === -32603
        ? { rule: 'fuzz-internal-error', message: t('Internal error: {0}', visibleLine(outcome.message, 300)) }
        : undefined;
    case 'result':
      if (outcome.isError)
        return outcome.hasText
          ? undefined
          : { rule: 'fuzz-error-text', message: t('The tool reports an error without a text.') };
      return outcome.outputProblems.length === 0
        ? undefined
        : {
            rule: 'fuzz-output',
            message: t(
              'The result does not match the output schema: {0}',
              visibleLine(outcome.outputProblems[0] ?? '', 300),
            ),
          };
  }
}
