/**
 * The sentences for calls and servers that are blocked by the user, a rule, a policy or the quarantine of a changed
 * tool.
 */
import { t } from '@vscode/l10n';
import type { CallRefusedBy, PolicyOwner, PolicyReason, ToolChange } from '../../base/failureKinds.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindText, KindTexts } from './kindText.js';

export const callRefusedKinds: KindTexts<'call-refused', CallRefusedBy> = {
  user: {
    what: (f) => t('You denied the call to "{0}" on {1}.', tool(f), serverOf(f)),
    short: (f) => t('You denied the call to "{0}"', tool(f)),
    next: () => t('MCP Deck asks again next time.'),
  },
  rule: {
    what: (f) => t('A rule denies the call to "{0}" on {1}: {2}.', tool(f), serverOf(f), f.shown('rule', 400)),
    short: (f) => t('A rule denies the call to "{0}"', tool(f)),
    next: () => t('Change or remove the rule in the Rules view.'),
  },
};

export const toolChangedKinds: KindTexts<'tool-changed', ToolChange> = {
  changed: quarantined((name) => t('The tool "{0}" differs from the tool that you approved.', name)),
  unhashable: quarantined((name) =>
    t('The definition of the tool "{0}" cannot be compared with the tool that you approved.', name),
  ),
  unreadable: quarantined((name) => t('The record of your approval of the tool "{0}" cannot be read.', name)),
  gone: quarantined((name) => t('The server no longer lists the approved tool "{0}".', name)),
};

function quarantined(why: (name: string) => string): KindText<'tool-changed'> {
  return {
    said: (f) => why(tool(f)),
    next: () =>
      t('The tool cannot run until you review the change. Accept the change, or leave the tool in quarantine.'),
  };
}

export const blockedKinds: KindTexts<'blocked', PolicyReason> = {
  none: blocked((f) => t('{0} allows no MCP server.', setting(f))),
  registry: blocked((f) =>
    t('{0} allows only servers of a registry, and MCP Deck cannot verify where a server comes from.', setting(f)),
  ),
  denied: blocked((f) => t('{0} contains {1}.', setting(f), f.shown('entry', 300))),
  'not-allowed': blocked((f) => t('{0} does not list this server.', setting(f))),
  'not-managed': blocked((f) =>
    t('{0} is on, and your organization has not set a list of allowed servers.', setting(f)),
  ),
};

function blocked(rule: (f: FailureFacts<'blocked'>) => string): KindText<'blocked'> {
  return {
    what: (f) =>
      `${isOfOrganization(f) ? t('{0} is blocked by your organization.', f.subject) : t('{0} is blocked by a setting.', f.subject)} ${rule(f)}`,
    short: (f) => blockedShort(f.data.by),
    next: (f) =>
      isOfOrganization(f)
        ? t('Ask your administrator to allow the server.')
        : t('To use the server, change the setting.'),
  };
}

/** A few words for the line of a blocked server. */
export function blockedShort(owner: PolicyOwner | undefined): string {
  return owner === 'organization' ? t('blocked by your organization') : t('blocked by a setting');
}

function isOfOrganization({ data }: FailureFacts<'blocked'>): boolean {
  return data.by === 'organization';
}

/** The name of the setting and where its value is set, because the user cannot change the value everywhere. */
function setting(f: FailureFacts<'blocked'>): string {
  const name = `"${f.shown('setting')}"`;
  switch (f.data.by) {
    case 'machine':
      return t('{0} in the settings of the remote machine', name);
    case 'workspace':
      return t('{0} in the settings of the workspace', name);
    default:
      return name;
  }
}

function serverOf({ server }: FailureFacts<'call-refused'>): string {
  return server === undefined ? t('the server') : `"${server}"`;
}

function tool(f: FailureFacts<'call-refused' | 'tool-changed'>): string {
  return f.shown('tool', 120);
}
