import type { Inspection } from '../catalog/inspection.js';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { EnvironmentLine } from '../../shared/serverPage.js';
import type { StdioDefinition } from '../config/serverDefinition.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import { maskText } from '../base/masking.js';
import { looksSecret } from '../../shared/secretNames.js';
import { failureText } from '../present/failure/failureText.js';
import { displayArguments } from '../present/tree/serverTooltip.js';
import { findCommand } from '../transport/stdio/findCommand.js';
import { dots, environmentLines, namesFoldersOnly } from './environmentLines.js';

/** How a local server will be started, as far as this is known before the start. For display, without secrets. */
export interface StartPlan {
  /** The program and its arguments. */
  command: readonly string[];
  /** The path of the program, if found. */
  program?: string;
  cwd?: string;
  environment: readonly EnvironmentLine[];
  /** Why variables could not be replaced by their values. */
  problem?: string;
}

/**
 * The plan; undefined for servers that are not started as a process. Does not ask the user, starts nothing, and never
 * rejects.
 */
export async function planStart(inspection: Inspection): Promise<StartPlan | undefined> {
  const { definition } = inspection.entry;
  if (definition.type !== 'stdio') return undefined;
  let resolved: Extract<ResolvedServer, { type: 'stdio' }> | undefined;
  const { refusal } = inspection;
  let problem = refusal && failureText(refusal, inspection.entry.name).what;
  if (problem === undefined) {
    try {
      const server = await inspection.resolve();
      if (server.type === 'stdio') resolved = server;
    } catch (error) {
      problem = visibleLine(messageOf(error), 400);
    }
  }
  const removedEnv = Object.keys(definition.env).filter((name) => definition.env[name] === null);
  const inherited = await inspection.environment({
    type: 'stdio',
    command: '',
    args: [],
    cwd: '',
    env: {},
    removedEnv,
    secretValues: [],
  });
  const command = commandTexts(definition, resolved);
  const program =
    resolved && namesFoldersOnly(definition.command)
      ? findCommand(resolved.command, await inspection.environment(resolved), resolved.cwd, inspection.platform).found
      : undefined;
  return {
    command,
    ...(program === undefined || program === resolved?.command ? {} : { program: visibleLine(program, 400) }),
    ...cwdText(definition, resolved),
    environment: environmentLines({ definition, inherited, fileNames: Object.keys(resolved?.env ?? {}) }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/**
 * Replaces variables that only denote folders. The value of any other variable may be a secret, so the variable is
 * shown as written.
 */
function commandTexts(
  { command, args }: StdioDefinition,
  resolved: Extract<ResolvedServer, { type: 'stdio' }> | undefined,
): string[] {
  const filled = (written: string, value: string | undefined) =>
    value !== undefined && namesFoldersOnly(written) ? value : written;
  const texts = args.map((arg, index) => filled(arg, resolved?.args[index]));
  const shown = displayArguments(texts).map((text, index) => (looksSecret('', args[index] ?? '') ? dots : text));
  // An argument may contain a secret that is known from elsewhere, such as an environment variable.
  return [filled(command, resolved?.command), ...shown].map((text) =>
    visibleLine(maskText(text, resolved?.secretValues ?? []), 1_000),
  );
}

function cwdText(
  { cwd }: StdioDefinition,
  resolved: Extract<ResolvedServer, { type: 'stdio' }> | undefined,
): { cwd?: string } {
  const text = resolved && namesFoldersOnly(cwd ?? '') ? resolved.cwd : cwd;
  return text === undefined ? {} : { cwd: visibleLine(text, 400) };
}
