/** The buttons of failures and remarks: their labels, and which ones fit a remark. */
import { t } from '@vscode/l10n';
import type { Remark } from '../../base/remark.js';
import type { FailureAction } from './failureShape.js';

/**
 * The label of a button.
 * @param variable the environment variable that `setSecret` sets; undefined for a header.
 */
export function failureActionLabel(action: FailureAction, variable?: string): string {
  switch (action) {
    case 'showLog':
      return t('Show Log');
    case 'restartServer':
      return t('Restart Server');
    case 'startServer':
      return t('Start Server');
    case 'reviewTrust':
      return t('Review…');
    case 'manageWorkspaceTrust':
      return t('Manage Workspace Trust');
    case 'openConfiguration':
      return t('Open Configuration');
    case 'showRules':
      return t('Show Rules');
    case 'reviewChange':
      return t('Review Change…');
    case 'signIn':
      return t('Sign In…');
    case 'showSignInTrace':
      return t('View Sign-in Trace');
    case 'manageStoredValues':
      return t('Stored Values…');
    case 'tryAgain':
      return t('Try Again');
    case 'editServer':
      return t('Edit Server…');
    case 'diagnoseServer':
      return t('Diagnose');
    case 'showServers':
      return t('Show Servers');
    case 'setSecret':
      return variable === undefined ? t('Set API Key…') : t('Set {0}…', variable);
    case 'replaceSecret':
      return t('Enter Another Key…');
  }
}

/** The buttons that help with the cause that a remark names. */
export function remarkActions({ kind }: Remark): readonly FailureAction[] {
  switch (kind) {
    case 'login':
      return ['setSecret', 'editServer'];
    case 'prompt':
    case 'stray-output':
    case 'no-endpoint':
      return ['editServer'];
    default:
      return [];
  }
}
