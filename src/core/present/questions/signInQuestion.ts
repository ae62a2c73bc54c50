import { t } from '@vscode/l10n';
import type { BrowserRequest } from '../../auth/authorizationFlow.js';
import { visibleLine } from '../../base/hostileText.js';
import { visibleName } from '../../base/visibleName.js';
import { indented } from '../text/lines.js';

/** The question before the browser opens. */
export interface SignInQuestion {
  message: string;
  detail: string;
  /**
   * True if the dialog does not show all scopes in full. `signInPermissions` does, and the user must see them before
   * the sign-in.
   */
  isCut: boolean;
}

/** Limits of the dialog: the number of scopes, and the characters of each. */
const maxScopes = 30;
const maxScopeLength = 120;

/**
 * The question before the browser opens. It states which of the user's servers asks, the host of the page, and the
 * requested access. The host comes from a server and is shown in full, because the user's decision depends on it.
 */
export function signInQuestion(request: BrowserRequest): SignInQuestion {
  const { serverName, host, scopes, isStepUp } = request;
  const name = visibleName(serverName, 100);
  const where = visibleLine(host, 300);
  const isCut = scopes.length > maxScopes || scopes.some((scope) => scope.length > maxScopeLength);
  const lines = scopes.slice(0, maxScopes).map((scope) => visibleLine(scope, maxScopeLength));
  if (scopes.length > maxScopes) lines.push(t('and {0} more', scopes.length - maxScopes));
  return {
    message: isStepUp
      ? t('"{0}" requests more permissions. Continue at {1}?', name, where)
      : t('"{0}" asks you to sign in. Continue at {1}?', name, where),
    detail: [
      ...sections(request, lines),
      ...(isCut
        ? [t('Not all permissions fit here. Select "Show All Permissions" before you sign in.')]
        : [t('Continue only if you know this host and want "{0}" to act for you there.', name)]),
    ].join('\n\n'),
    isCut,
  };
}

/** The content of the question with every scope in full. */
export function signInPermissions(request: BrowserRequest): string {
  const lines = request.scopes.map((scope) => visibleLine(scope, scope.length));
  return `${[signInQuestion(request).message, ...sections(request, lines)].join('\n\n')}\n`;
}

function sections({ host, issuer }: BrowserRequest, scopes: readonly string[]): string[] {
  return [
    `${t('The browser opens')}\n${indented(visibleLine(host, 300))}`,
    `${t('You sign in with')}\n${indented(visibleLine(issuer, 300))}`,
    ...(scopes.length > 0
      ? [`${t('The requested permissions are')}\n${scopes.map((scope) => indented(scope)).join('\n')}`]
      : []),
  ];
}
