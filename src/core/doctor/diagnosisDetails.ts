/** Converts a diagnosis to the checklist on the page of a server, also while the diagnosis is in progress. */
import { t } from '@vscode/l10n';
import { actionsOf, missingVariableOf } from '../present/failure/failureText.js';
import { failureActionLabel } from '../present/failure/failureActions.js';
import type { FailureAction } from '../present/failure/failureShape.js';
import type { CheckLine, DiagnosisDetails, PageButton } from '../../shared/serverPage.js';
import type { Check, CheckId } from './check.js';
import { checkTitles, diagnosisSummary } from './diagnosisText.js';

export interface DiagnosisReading {
  checks: readonly Check[];
  /** The check in progress. */
  step?: CheckId | undefined;
  state: DiagnosisDetails['state'];
  /** The failure of the server. It determines the buttons of the handshake check. */
  error?: Error | undefined;
  isBuiltIn: boolean;
}

/** The checklist, with the check in progress as its last line. */
export function diagnosisDetails({ checks, step, state, error, isBuiltIn }: DiagnosisReading): DiagnosisDetails {
  const titles = checkTitles();
  const lines = checks.map((check): CheckLine => {
    const { id, outcome, seen, fix } = check;
    return {
      id,
      title: titles[id],
      outcome,
      seen,
      ...(fix === undefined ? {} : { fix }),
      buttons: buttonsOf(check, error, isBuiltIn),
    };
  });
  const isNew = step !== undefined && !checks.some(({ id }) => id === step);
  return {
    state,
    summary:
      state === 'running'
        ? t('Checking…')
        : state === 'stopped'
          ? t('The diagnosis was stopped.')
          : diagnosisSummary(checks),
    lines: [
      ...lines,
      ...(state === 'running' && isNew
        ? [{ id: step, title: titles[step], outcome: 'running' as const, seen: t('Checking…'), buttons: [] }]
        : []),
    ],
  };
}

function buttonsOf(check: Check, error: Error | undefined, isBuiltIn: boolean): PageButton[] {
  const isBad = check.outcome === 'failed' || check.outcome === 'warning';
  const label = (action: FailureAction): PageButton => ({
    action,
    label: failureActionLabel(action, missingVariableOf(error)),
  });
  if (isBuiltIn) return isBad ? [label('tryAgain'), label('showLog')] : [];
  const change: PageButton[] = check.change ? [{ action: 'applyChange', label: t('Add to Definition') }] : [];
  const file: PageButton[] = check.file === undefined ? [] : [{ action: 'openCheckedFile', label: t('Open File') }];
  const definition: PageButton[] =
    check.id === 'configuration' ? [{ action: 'openConfiguration', label: t('Open Configuration') }] : [];
  return [...change, ...(isBad ? fixesOf(check, error).map(label) : []), ...file, ...definition];
}

/** The buttons that help with a check that found a problem. */
function fixesOf({ id, change }: Check, error: Error | undefined): readonly FailureAction[] {
  switch (id) {
    case 'configuration':
      return [];
    case 'trust':
      return ['reviewTrust'];
    case 'sign-in':
      return ['setSecret', 'signIn', 'editServer'];
    case 'handshake':
      return change || !error ? ['tryAgain', 'showLog'] : handshakeFixes(error);
    case 'lists':
      return ['showLog'];
    case 'proxy':
      return [];
    default:
      return ['editServer'];
  }
}

function handshakeFixes(error: Error): FailureAction[] {
  const wanted = actionsOf(error).filter((action) => action !== 'diagnoseServer' && action !== 'restartServer');
  return [...new Set<FailureAction>([...wanted, 'tryAgain', 'showLog'])];
}
