/**
 * Looks for a change that makes an unresponsive server respond. Starts separate instances, each with one field of the
 * definition changed.
 */
import { t } from '@vscode/l10n';
import type { Inspection, TrialChange } from '../catalog/inspection.js';
import type { StdioDefinition } from '../config/serverDefinition.js';
import { visibleLine } from '../base/hostileText.js';
import type { Check } from './check.js';
import { failed } from './check.js';

export interface TrialOptions {
  /** Time limit of each trial, in milliseconds. */
  trialMs: number;
  /** Whether the framing may be wrong. False if the server has responded, because it then understands the framing. */
  mayBeFraming: boolean;
  signal: AbortSignal;
}

/** The first change that works; undefined if no trial succeeded. */
export async function tryChanges(
  inspection: Inspection,
  { trialMs, mayBeFraming, signal }: TrialOptions,
): Promise<Check | undefined> {
  const { definition } = inspection.entry;
  if (definition.type !== 'stdio') return undefined;
  for (const change of changesOf(definition, mayBeFraming)) {
    signal.throwIfAborted();
    try {
      const revision = await inspection.tryStart(change, trialMs, signal);
      const [[field, value] = ['', '']] = Object.entries(change);
      const seen = t(
        'The server does not respond with its current definition. With "{0}": "{1}", it responds with revision {2}.',
        field,
        value,
        visibleLine(revision, 40),
      );
      return {
        ...failed('handshake', seen, t('Add "{0}": "{1}" to the definition of the server.', field, value)),
        change,
      };
    } catch {
      // The server does not start with this change either, so the next change is tried.
    }
  }
  signal.throwIfAborted();
  return undefined;
}

/** The possible changes, the most likely ones first. */
function changesOf({ framing = 'newline', protocol = 'auto' }: StdioDefinition, mayBeFraming: boolean): TrialChange[] {
  return [
    ...(mayBeFraming ? [{ framing: framing === 'newline' ? ('content-length' as const) : ('newline' as const) }] : []),
    { protocol: protocol === 'auto' ? ('legacy' as const) : ('auto' as const) },
  ];
}
