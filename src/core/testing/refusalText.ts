import { t } from '@vscode/l10n';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { failureLine } from '../present/failure/failureText.js';

/**
 * Why a test may not use a server or a tool, and what to do about it: the user or the definition disabled it, the
 * active preset excludes it, or the tool changed since the user approved it. Undefined for all other failures.
 * @param server the name of the server, if the failure does not contain it.
 */
export function refusalText(error: unknown, server: string | undefined): string | undefined {
  if (!(error instanceof HostError)) return undefined;
  const isRefusal =
    error.code === 'tool-changed' ||
    (error.code === 'unsupported' && error.data.tool !== undefined) ||
    (error.code === 'not-running' && error.data.why === 'disabled');
  return isRefusal ? failureLine(error, server) : undefined;
}

/** Why a test may not call a tool that the question before the run did not show. */
export function unshownToolText(tool: string): string {
  return t(
    'The tool "{0}" was not called, because the question before the run did not show it. Write its name in the file.',
    visibleLine(tool, 120),
  );
}
