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
  const options = withoutInspect((written?.[1] ?? '').split(' ')).filter(Boolean);
  return { ...start, env: { ...env, NODE_OPTIONS: [...options, inspectFlag].join(' ') } };
}

/**
 * Removes options of the definition that open an inspector, because they would open a second one, on a predictable
 * port.
 */
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
  // The configured debugpy program has its own interpreter, which cannot receive Python's options.
  return isCommand
    ? { ...start, command: debugpy.program, args: [...listen, ...program] }
    : { ...start, args: [...before, debugpy.program, ...listen, ...program] };
}
