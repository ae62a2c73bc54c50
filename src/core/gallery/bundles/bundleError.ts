/** The refusal of a bundle. Its message is shown unchanged: what is wrong with which bundle, and what to do next. */
import { t } from '@vscode/l10n';
import { UserError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { sizeText } from '../../../shared/amountText.js';

/** Why a bundle is not installed. */
export type BundleProblem =
  /** The file is not a zip archive, or is damaged. */
  | 'not-a-zip'
  | 'no-manifest'
  | 'bad-manifest'
  /** The manifest excludes this operating system. */
  | 'platform'
  /** The manifest uses a variable that the format does not have. */
  | 'variable'
  /** A path that leads out of the folder of the bundle. */
  | 'path-escape'
  /** A path that not every file system can store, or that looks like another one. */
  | 'path-name'
  | 'link'
  | 'duplicate'
  | 'overlap'
  /** The directory of the archive has more additional data than archives need. */
  | 'extra-data'
  | 'encrypted'
  | 'compression'
  | 'too-many-files'
  | 'file-too-large'
  | 'too-large'
  | 'zip-bomb'
  /** A file has another size than the directory of the archive states. */
  | 'wrong-size'
  | 'no-digest'
  | 'wrong-digest'
  | 'bad-address'
  | 'download-failed'
  | 'download-silent';

/** The details for the message. */
export interface BundleFacts {
  /** A path in the bundle, a URL or its host, a variable, or the reason of a library. */
  subject?: string;
  /** A size in bytes, or a count. */
  limit?: number;
  cause?: unknown;
}

export class BundleError extends UserError {
  constructor(
    readonly problem: BundleProblem,
    message: string,
  ) {
    super(message);
    this.name = 'BundleError';
  }
}

/**
 * Creates the error with its message.
 * @param label the name of the file or server, for display.
 */
export function bundleError(label: string, problem: BundleProblem, facts: BundleFacts = {}): BundleError {
  const text = texts[problem](visibleLine(facts.subject ?? '', 160), facts.limit ?? 0);
  const error = new BundleError(problem, `${t('"{0}" was not installed: {1}', visibleLine(label, 80), text)}`);
  if (facts.cause !== undefined) error.cause = facts.cause;
  return error;
}

const texts: Record<BundleProblem, (subject: string, limit: number) => string> = {
  'not-a-zip': (reason) => t('The file is not a bundle, or it is damaged ({0}). Download it again.', reason),
  'no-manifest': () => t('The file contains no "manifest.json", so it is not a bundle. Choose another file.'),
  'bad-manifest': (reason) => t('Its "manifest.json" cannot be used: {0}. Ask the author for a valid bundle.', reason),
  platform: (platforms) =>
    t('The bundle does not support this operating system, only: {0}. Choose another package of the server.', platforms),
  variable: (name) =>
    t('Its "manifest.json" uses the variable {0}, which bundles do not have. Ask the author for a valid bundle.', name),
  'path-escape': (path) =>
    t('The path "{0}" in the bundle leads out of its folder. The bundle may be malicious. Do not use it.', path),
  'path-name': (path) =>
    t('The path "{0}" in the bundle is not valid on every system. Ask the author for a valid bundle.', path),
  link: (path) =>
    t('"{0}" in the bundle is a link or a special file. The bundle may be malicious. Do not use it.', path),
  duplicate: (path) =>
    t('The bundle contains "{0}" twice, or in two spellings. The bundle may be malicious. Do not use it.', path),
  overlap: (path) =>
    t('"{0}" shares its data with another file of the bundle. The bundle may be malicious. Do not use it.', path),
  'extra-data': (path) =>
    t('"{0}" has too much additional data in the archive. The bundle may be malicious. Do not use it.', path),
  encrypted: (path) => t('"{0}" in the bundle is encrypted. Ask the author for a bundle without encryption.', path),
  compression: (path) =>
    t('"{0}" is compressed in a way that is not supported. Ask the author for a bundle with deflated files.', path),
  'too-many-files': (_, limit) =>
    t('The bundle contains more than {0} files or folders. Choose another package of the server.', limit),
  'file-too-large': (_, limit) =>
    t('The file is larger than {0}. Choose another package of the server.', sizeText(limit)),
  'too-large': (_, limit) =>
    t('The bundle is larger than {0} when it is unpacked. Choose another package of the server.', sizeText(limit)),
  'zip-bomb': (path) =>
    t('"{0}" grows too much when it is unpacked. The bundle may be malicious. Do not use it.', path),
  'wrong-size': (path) =>
    t('"{0}" does not have the size that the bundle states. The bundle is damaged or malicious. Do not use it.', path),
  'no-digest': () =>
    t('The registry gives no SHA-256 digest for the file, so it cannot be verified. Choose another package.'),
  'wrong-digest': () =>
    t(
      'The file differs from the one that was published: its SHA-256 digest is wrong. Report this to the author of the server.',
    ),
  'bad-address': (address) =>
    t(
      'The URL {0} cannot be used. Files are downloaded over HTTPS only, and without a password in the URL. Report this to the author of the server.',
      address,
    ),
  'download-failed': (reason) => t('The download failed ({0}). Try again later.', reason),
  'download-silent': (host) => t('The download from {0} took too long. Try again later.', host),
};
