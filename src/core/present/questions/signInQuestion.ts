import { t } from '@vscode/l10n';
import type { BrowserRequest } from '../../auth/authorizationFlow.js';
import { visibleLine } from '../../base/hostileText.js';
import { indented } from '../text/lines.js';

/**
 * The question before the browser opens: which of the user's servers asks, the host of the page, and the requested
 * access. The host comes from a server and is shown in full, because the user's decision depends on it.
 */
export function signInQuestion({ serverName, host, issuer, scopes, isStepUp }: BrowserRequest): {
  message: string;
  detail: string;
} {
  const name = visibleLine(serverName, 100);
  const where = visibleLine(host, 300);
  const message = isStepUp
    ? t('"{0}" requests more permissions. Continue at {1}?', name, where)
    : t('"{0}" asks you to sign in. Continue at {1}?', name, where);
  const sections = [
    `${t('The browser opens')}\n${indented(where)}`,
    `${t('The sign-in is with')}\n${indented(visibleLine(issuer, 300))}`,
  ];
  if (scopes.length > 0) sections.push(`${t('The requested permissions are')}\n${scopeLines(scopes)}`);
  sections.push(t('Continue only if you know this host and want "{0}" to act for you there.', name));
  return { message, detail: sections.join('\n\n') };
}

const maxScopes = 30;

function scopeLines(scopes: readonly string[]): string {
  const lines = scopes.slice(0, maxScopes).map((scope) => indented(visibleLine(scope, 120)));
  if (scopes.length > maxScopes) lines.push(indented(t('and {0} more', scopes.length - maxScopes)));
  return lines.join('\n');
}
