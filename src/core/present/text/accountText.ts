import { t } from '@vscode/l10n';
import type { AccountInfo, RegistrationInfo } from '../../auth/serverRecord.js';
import { defaultAccount } from '../../auth/serverRecord.js';
import { visibleLine } from '../../base/hostileText.js';
import { elapsedText } from './runTexts.js';

/** Accounts and registrations as text for the user. Labels and issuers are untrusted text. */

/** The name of an account: the label from its issuer, otherwise the name in MCP Deck. */
export function accountName({ label, account }: AccountInfo): string {
  if (label !== undefined && label !== '') return visibleLine(label, 80);
  return account === defaultAccount ? t('default account') : visibleLine(account, 80);
}

/** Scopes and expiry of an account. */
export function accountFacts({ scopes, expiresAt, canRefresh }: AccountInfo, now: number): string {
  return [
    scopes.length > 0 ? t('scopes {0}', visibleLine(scopes.join(' '), 200)) : t('no scopes'),
    expiryText(expiresAt, canRefresh, now),
  ].join(' · ');
}

/** The issuer, the scopes and the expiry of an account. */
export function accountDetail(account: AccountInfo, now: number): string {
  return `${visibleLine(account.issuer, 120)} · ${accountFacts(account, now)}`;
}

/** The details of a registration: the issuer, and where the client ID comes from. */
export function registrationDetail({ issuer, kind }: RegistrationInfo): string {
  return `${visibleLine(issuer, 120)} · ${kind === 'dynamic' ? t('registered by MCP Deck') : t('client ID that you set')}`;
}

function expiryText(expiresAt: number | undefined, canRefresh: boolean, now: number): string {
  if (canRefresh)
    return expiresAt === undefined || expiresAt <= now
      ? t('renewed when needed')
      : t('renewed automatically, next within {0}', elapsedText(expiresAt - now));
  if (expiresAt === undefined) return t('valid until the server refuses it');
  return expiresAt > now ? t('expires in {0}', elapsedText(expiresAt - now)) : t('expired');
}
