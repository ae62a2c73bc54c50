/** The sentences for failures of files, disks and the secret storage. */
import { t } from '@vscode/l10n';
import { messageOf } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import type { StorageCause, StorageOperation } from '../../base/hostErrorData.js';
import type { FailureFacts } from './failureFacts.js';
import { ended } from './failureFacts.js';

/** A text such as `Server "db": /a/b could not be written: the disk is full.` */
export function storageWhat(f: FailureFacts<'storage-failed'>): string {
  const thing = thingOf(f);
  const reason = reasonOf(f);
  const what = sentenceOf(f.data.operation, thing, reason);
  const { server } = f;
  const parts = [server === undefined ? what : t('Server "{0}": {1}', server, what)];
  if (f.data.isKept === true) parts.push(t('The change is kept only until this window closes.'));
  return parts.join(' ');
}

/** The next step of the user after a failure of storage. */
export function storageNext(f: FailureFacts<'storage-failed'>): string {
  const cause = causeOf(f);
  if (f.data.store === 'secrets')
    return cause === 'full'
      ? diskNext(cause)
      : t('Unlock your system keyring or respond to its prompt, and then try again.');
  return diskNext(cause);
}

/** The short text for the server's line in the tree. */
export function storageShort(f: FailureFacts<'storage-failed'>): string {
  if (f.data.store === 'secrets') return t('secret storage is not available');
  const thing = f.text('thing', 60);
  const line = thing === undefined ? reasonOf(f) : `${thing}: ${reasonOf(f)}`;
  return visibleLine(line, 100);
}

function thingOf(f: FailureFacts<'storage-failed'>): string {
  switch (f.data.store) {
    case 'secrets':
      return t('Secret storage');
    case 'state':
      return t('The stored data of MCP Deck');
    default:
      return f.text('thing', 300) ?? t('A file');
  }
}

function causeOf(f: FailureFacts<'storage-failed'>): StorageCause {
  return f.data.cause ?? 'other';
}

function sentenceOf(operation: StorageOperation | undefined, thing: string, reason: string): string {
  const end = ended(reason);
  switch (operation) {
    case 'read':
      return t('{0} could not be read: {1}', thing, end);
    case 'write':
      return t('{0} could not be written: {1}', thing, end);
    case 'remove':
      return t('{0} could not be removed: {1}', thing, end);
    default:
      return t('{0} could not be used: {1}', thing, end);
  }
}

function reasonOf(f: FailureFacts<'storage-failed'>): string {
  switch (causeOf(f)) {
    case 'missing':
      return f.data.operation === 'write' ? t('its folder does not exist') : t('it does not exist');
    case 'folder-missing':
      return t('its folder does not exist');
    case 'is-folder':
      return t('it is a folder');
    case 'not-folder':
      return t('a part of its path is a file, not a folder');
    case 'not-permitted':
      return t('you have no permission');
    case 'read-only':
      return t('it is on a read-only disk');
    case 'full':
      return t('the disk is full');
    case 'busy':
      return t('another program is using it');
    case 'exists':
      return t('an item with this name already exists');
    case 'too-many-files':
      return t('too many files are open');
    case 'too-large':
      return t('it is too large');
    case 'name-too-long':
      return t('its name is too long');
    case 'silent': {
      const span = f.span('waitedMs');
      return span === undefined ? t('there was no response in time') : t('there was no response within {0}', span);
    }
    case 'remote-value':
      return t(
        'this setting also has a value in the remote settings, and VS Code would change that value instead of your user setting',
      );
    default:
      return wordsOf(f.cause ?? f.error) ?? t('no reason was given');
  }
}

/** The reason that the storage gave, as the end of a sentence; undefined if it is only a code. */
function wordsOf(error: unknown): string | undefined {
  const line = visibleLine(messageOf(error).split(/\n[^\S\n]*at /, 1)[0] ?? '', 300).replace(/[.\s]+$/, '');
  return /\p{L}/u.test(line) ? line : undefined;
}

function diskNext(cause: StorageCause): string {
  switch (cause) {
    case 'missing':
    case 'folder-missing':
    case 'not-folder':
    case 'is-folder':
    case 'name-too-long':
      return t('Select another location, or correct the path.');
    case 'not-permitted':
    case 'read-only':
      return t('Select another location, or change its permissions.');
    case 'full':
      return t('Free up disk space, and then try again.');
    case 'busy':
      return t('Close the other program, and then try again.');
    case 'too-many-files':
      return t('Close some files or programs, and then try again.');
    case 'exists':
      return t('Enter another name.');
    case 'too-large':
      return t('Select a smaller file.');
    case 'silent':
      return t('Check that the disk or network drive responds, and then try again.');
    case 'remote-value':
      return t(
        'Remove the remote value with "Preferences: Open Remote Settings (JSON)" or in the dev container file, and then try again.',
      );
    default:
      return t('Check the disk and its permissions, and then try again.');
  }
}
