import { pythonPart } from './pythonPart.js';

/** What starts a process, before or after its variables are filled in. */
export interface ProcessStart<Value extends string | null = string | null> {
  command: string;
  args: string[];
  env: Record<string, Value>;
}

/** How a server is started under its debugger. Decided before the start, so that it can be shown. */
export type DebugPlan =
  | { kind: 'node'; way: 'arguments' | 'options'; stopAtStart: boolean }
  | {
      kind: 'debugpy';
      stopAtStart: boolean;
      /** Of this machine, free when it was chosen. */ port: number;
      debugpy: DebugpyPlace;
    };

/** A `package` is a folder for Python to run, a `program` is run in Python's place. */
type DebugpyPlace = { package: string } | { program: string };

/**
 * Only this machine, any free port: Node takes one and says which. Several processes of one server never want the same.
 * Each waits for its debugger, so that a breakpoint in the very first line counts.
 */
export const inspectFlag = '--inspect-brk=127.0.0.1:0';

/** The same start under the debugger. Pure; what was not changed is the same object. */
export function debuggedStart<Start extends ProcessStart>(start: Start, plan: DebugPlan): Start {
  if (plan.kind === 'debugpy') return underDebugpy(start, plan);
  if (plan.way === 'arguments') return { ...start, args: [inspectFlag, ...withoutInspect(start.args)] };
  const written = Object.entries(start.env).find(
    ([name, value]) => name.toUpperCase() === 'NODE_OPTIONS' && value !== null,
  );
  const env = Object.fromEntries(Object.entries(start.env).filter(([name]) => name.toUpperCase() !== 'NODE_OPTIONS'));
  const options = withoutInspect((written?.[1] ?? '').split(' ')).filter(Boolean);
  return { ...start, env: { ...env, NODE_OPTIONS: [...options, inspectFlag].join(' ') } };
}

/** An inspector that the definition opens itself would be a second one, at a port that everybody can guess. */
function withoutInspect(args: readonly string[]): string[] {
  const script = args.findIndex((arg) => !arg.startsWith('-'));
  return args.filter(
    (arg, index) => (script !== -1 && index >= script) || !/^--inspect(?:-brk|-wait|-port)?(?:=|$)/.test(arg),
  );
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
  // The program has an interpreter of its own, which cannot be given Python's options.
  return isCommand
    ? { ...start, command: debugpy.program, args: [...listen, ...program] }
    : { ...start, args: [...before, debugpy.program, ...listen, ...program] };
}
