/**
 * Sentences of failures that are known in full by their data. Each function returns undefined where a part is missing: the
 * caller then falls back to the message of the failure.
 */
import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { FailureFacts } from './failureFacts.js';
import { revisionsText } from './messageTexts.js';

/** This side ended the server while a call waited. */
export function closedWhat({ data, subject }: FailureFacts<'closed'>): string | undefined {
  const { ended, wasSent } = data;
  switch (ended) {
    case 'stopped':
      return wasSent
        ? t('{0} was stopped before it answered.', subject)
        : t('{0} was stopped before the call was sent.', subject);
    case 'restarted':
      return wasSent
        ? t('{0} was restarted before it answered.', subject)
        : t('{0} was restarted before the call was sent.', subject);
    case 'disabled':
      return wasSent
        ? t('{0} was disabled before it answered.', subject)
        : t('{0} was disabled before the call was sent.', subject);
    case 'removed':
      return wasSent
        ? t('{0} was removed from the configuration before it answered.', subject)
        : t('{0} was removed from the configuration before the call was sent.', subject);
    default:
      return undefined;
  }
}

export function closedAdvice({ data }: FailureFacts<'closed'>): string | undefined {
  switch (data.ended) {
    case 'stopped':
      return t('Start it, then run this again.');
    case 'restarted':
      return t('Run it again.');
    case 'disabled':
      return t('Enable it, then run this again.');
    case 'removed':
      return t('Add it again to run this.');
    default:
      return undefined;
  }
}

export function notRunningWhat({ data, server, subject }: FailureFacts<'not-running'>): string | undefined {
  if (server === undefined) return undefined;
  switch (data.why) {
    case 'disabled':
      return t('{0} is disabled.', subject);
    case 'idle':
      return t('"{0}" is not running, so nothing can be sent to it.', server);
    case 'stopped':
      return t('"{0}" stopped before the request was sent.', server);
    default:
      return undefined;
  }
}

export function notRunningAdvice({ data }: FailureFacts<'not-running'>): string | undefined {
  if (data.why === 'disabled') return t('Enable it first.');
  return data.why === 'idle' ? t('Start it first.') : undefined;
}

export function notTrustedWhat(f: FailureFacts<'not-trusted'>): string | undefined {
  if (f.server === undefined) return undefined;
  if (f.data.isWorkspace === true) return t('{0}: This workspace is not trusted.', f.subject);
  const source = f.text('source');
  return source === undefined ? undefined : t('{0}: Needs your approval ({1}).', f.subject, source);
}

export function notTrustedAdvice({ data }: FailureFacts<'not-trusted'>): string | undefined {
  return data.isWorkspace === true ? t('Trust the workspace to start servers.') : undefined;
}

export function needsInputWhat(f: FailureFacts<'needs-input'>): string | undefined {
  const input = f.text('input');
  return f.server === undefined || input === undefined
    ? undefined
    : t('{0}: Needs a value for "{1}".', f.subject, input);
}

export function callRefusedWhat(f: FailureFacts<'call-refused'>): string | undefined {
  const [tool, rule] = [f.text('tool', 120), f.text('rule', 400)];
  if (tool === undefined || f.server === undefined) return undefined;
  if (f.data.by === 'user') return t('You denied the call of "{0}" of "{1}".', tool, f.server);
  return rule === undefined ? undefined : t('A rule denies the call of "{0}" of "{1}": {2}.', tool, f.server, rule);
}

export function callRefusedAdvice({ data }: FailureFacts<'call-refused'>): string | undefined {
  if (data.by === 'user') return t('It is asked again next time.');
  return data.rule === undefined ? undefined : t('Change or remove the rule in the Rules view.');
}

export function toolChangedWhat(f: FailureFacts<'tool-changed'>): string | undefined {
  const tool = f.text('tool', 120);
  if (tool === undefined || f.server === undefined) return undefined;
  switch (f.data.why) {
    case 'changed':
      return t(
        'The tool "{0}" of "{1}" is not what it was when it was approved; it does not run before you have reviewed it.',
        tool,
        f.server,
      );
    case 'unhashable':
      return t(
        'The tool "{0}" of "{1}" has a definition that cannot be compared with what was approved; it does not run before you have reviewed it.',
        tool,
        f.server,
      );
    case 'unreadable':
      return t(
        'The tool "{0}" of "{1}" was approved, but the record of it cannot be read; it does not run before you have reviewed it.',
        tool,
        f.server,
      );
    case 'gone':
      return t(
        'The tool "{0}" of "{1}" was approved and is not listed by its server any more; it does not run before you have reviewed it.',
        tool,
        f.server,
      );
    default:
      return undefined;
  }
}

export function handshakeWhat(f: FailureFacts<'handshake-failed'>): string | undefined {
  const method = f.text('method', 60);
  if (Array.isArray(f.data.theirs))
    return t('{0} answers server/discover and speaks only {1}.', f.subject, revisionsText(f.data.theirs));
  if (f.server === undefined || method === undefined) return undefined;
  switch (f.data.field) {
    case 'capabilities':
      return t('The answer of the server "{0}" to {1} has no "capabilities" object.', f.server, method);
    case 'supportedVersions':
      return t('The answer of the server "{0}" to {1} names no protocol revision.', f.server, method);
    default:
      return undefined;
  }
}

export function handshakeShort(f: FailureFacts<'handshake-failed'>): string | undefined {
  const method = f.text('method', 60);
  if (Array.isArray(f.data.theirs))
    return t('answers server/discover and speaks only {0}', revisionsText(f.data.theirs));
  switch (method === undefined ? undefined : f.data.field) {
    case 'capabilities':
      return t('The server\'s answer to {0} has no "capabilities" object', method ?? '');
    case 'supportedVersions':
      return t("The server's answer to {0} names no protocol revision", method ?? '');
    default:
      return undefined;
  }
}

export function sessionExpiredWhat(f: FailureFacts<'session-expired'>): string | undefined {
  const method = f.text('method', 60);
  return method === undefined ? undefined : t('{0} has ended the session; {1} was not processed.', f.subject, method);
}

export function tooManyRoundsWhat(f: FailureFacts<'too-many-rounds'>): string | undefined {
  const [method, rounds] = [f.text('method', 60), f.number('rounds')];
  return method === undefined || rounds === undefined
    ? undefined
    : t('{0} asked for input {1} times without finishing {2}.', f.subject, rounds, method);
}

export function unknownServerWhat(f: FailureFacts<'unknown-server'>): string | undefined {
  const name = f.text('name', 120);
  if (name === undefined) return undefined;
  return f.data.isGone === true
    ? t('There is no server "{0}" here any more.', name)
    : t('There is no server "{0}" here.', name);
}

export function unknownServerAdvice({ data }: FailureFacts<'unknown-server'>): string | undefined {
  if (data.isGone === true) return t('Add it again, or close the editor.');
  if (data.known === undefined) return undefined;
  return data.known.length === 0
    ? t('No servers are configured.')
    : t('Known servers: {0}.', visibleLine(data.known.join(', '), 600));
}

export function unknownToolWhat(f: FailureFacts<'unknown-tool'>): string | undefined {
  const tool = f.text('tool', 120);
  return f.server === undefined || tool === undefined ? undefined : t('{0} has no tool "{1}".', f.subject, tool);
}
