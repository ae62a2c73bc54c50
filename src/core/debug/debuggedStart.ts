import { wordSet } from '../../shared/wordSet.js';
import { pythonPart } from './pythonPart.js';

/** The fields that start a process, before or after their variables are replaced. */
export interface ProcessStart<Value extends string | null = string | null> {
  command: string;
  args: string[];
  env: Record<string, Value>;
}

/**
 * How a server is started under its debugger. The plan is made before the start, so that it can be shown to the user.
 */
export type DebugPlan =
  | { kind: 'node'; way: 'arguments' | 'options'; stopAtStart: boolean }
  | {
      kind: 'debugpy';
      stopAtStart: boolean;
      /** A port on this machine that was free when it was chosen. */ port: number;
      debugpy: DebugpyPlace;
    };

/** A `package` is a folder for Python to run; a `program` is run instead of Python. */
type DebugpyPlace = { package: string } | { program: string };

/**
 * Makes the inspector listen only on this machine, on a free port that Node chooses and prints. So several processes of
 * one server never use the same port. Each process waits for its debugger, so that a breakpoint in the first line is
 * hit.
 */
export const inspectFlag = '--inspect-brk=127.0.0.1:0';

/** The same start, but under the debugger. Pure; returns the same object if nothing changed. */
export function debuggedStart<Start extends ProcessStart>(start: Start, plan: DebugPlan): Start {
  if (plan.kind === 'debugpy') return underDebugpy(start, plan);
  if (plan.way === 'arguments') return { ...start, args: [inspectFlag, ...withoutInspect(start.args)] };
  const written = Object.entries(start.env).find(
    ([name, value]) => name.toUpperCase() === 'NODE_OPTIONS' && value !== null,
  );
  const env = Object.fromEntries(Object.entries(start.env).filter(([name]) => name.toUpperCase() !== 'NODE_OPTIONS'));
  const options = withoutInspect((written?.[1] ?? '').split(' ').filter(Boolean));
  return { ...start, env: { ...env, NODE_OPTIONS: [...options, inspectFlag].join(' ') } };
}

/** An option of Node that opens an inspector, or sets its address. */
const inspectOption = /^--(?:inspect(?:-(?:brk|brk-node|wait|port))?|debug-port)$/;
/** Options of Node with a value in the next argument. Options after an unknown one of this kind are not recognized. */
const nodeValues: ReadonlySet<string> = wordSet(`
  -C -e -p -pe -r --allow-fs-read --allow-fs-write --build-snapshot-config --conditions --cpu-prof-dir
  --cpu-prof-interval --cpu-prof-name --debug-port --diagnostic-dir --disable-proto --disable-warning
  --dns-result-order --env-file --env-file-if-exists --eval --experimental-default-type --experimental-loader
  --experimental-policy --experimental-sea-config --heap-prof-dir --heap-prof-interval --heap-prof-name
  --heapsnapshot-near-heap-limit --heapsnapshot-signal --icu-data-dir --import --input-type --inspect-port
  --inspect-publish-uid --loader --localstorage-file --max-http-header-size --openssl-config --policy-integrity --print
  --redirect-warnings --report-dir --report-directory --report-filename --report-signal --require --secure-heap
  --secure-heap-min --snapshot-blob --title --tls-cipher-list --tls-keylog
  --trace-event-categories --trace-event-file-pattern --trace-require-module --unhandled-rejections --use-largepages
  --watch-path
`);

/**
 * Removes options of the definition that open an inspector, because they would open a second one, on a predictable port
 * or for other machines.
 */
function withoutInspect(args: readonly string[]): string[] {
  const kept: string[] = [];
  let at = 0;
  for (let arg = args[at]; arg !== undefined && /^-(?!-?$)/.test(arg); arg = args[at]) {
    const [written = ''] = arg.split('=');
    // Node reads `_` in the name of an option as `-`.
    const name = written.replaceAll('_', '-');
    const hasValue = nodeValues.has(name) && written === arg && args[at + 1]?.startsWith('-') === false;
    const end = at + (hasValue ? 2 : 1);
    if (!inspectOption.test(name)) kept.push(...args.slice(at, end));
    at = end;
  }
  return [...kept, ...args.slice(at)];
}

function underDebugpy<Start extends ProcessStart>(
  start: Start,
  { port, debugpy }: Extract<DebugPlan, { kind: 'debugpy' }>,
): Start {
  const part = pythonPart(start.command, start.args);
  if (!part) return start;
  const listen = ['--listen', `127.0.0.1:${port}`, '--wait-for-client'];
  const { before, interpreter = 'python', isCommand, options, program } = part;
  if ('package' in debugpy)
    return {
      ...start,
      args: [...before, ...(isCommand ? [] : [interpreter]), ...options, debugpy.package, ...listen, ...program],
    };
  // The configured debugpy program has its own interpreter, which cannot receive Python's options.
  return isCommand
    ? { ...start, command: debugpy.program, args: [...listen, ...program] }
    : { ...start, args: [...before, debugpy.program, ...listen, ...program] };
}
