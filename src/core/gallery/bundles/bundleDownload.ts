/**
 * Downloads the file of a bundle. The download is limited in size and time, uses HTTPS only (or HTTP from this
 * machine), and is hashed while it arrives. File servers often redirect to other hosts, which do not receive the
 * headers of the user.
 */
import type { IncomingMessage } from 'node:http';
import { t } from '@vscode/l10n';
import type { Clock } from '../../base/clock.js';
import { systemClock } from '../../base/clock.js';
import { HostError, isCancelled, messageOf } from '../../base/hostError.js';
import { CallSweep } from '../../transport/http/callSweep.js';
import { clientOptionsOf, HttpClient } from '../../transport/http/httpClient.js';
import { HttpConnections } from '../../transport/http/httpConnections.js';
import { parsedUrl } from '../../base/parsedUrl.js';
import { parseRemoteAddress } from '../../transport/http/remoteAddress.js';
import { BundleError, bundleError } from './bundleError.js';
import type { OnBytes } from './bundleFile.js';
import { maxBundleBytes, writeHashed } from './bundleFile.js';

export interface BundleDownload {
  url: string;
  /** The published SHA-256 of the file, lower-case hex. Without one, nothing is downloaded. */
  sha256: string | undefined;
  /** The name of the server in error messages. */
  label: string;
  /** Headers for the origin of `url` only, for example with a token. */
  headers?: Readonly<Record<string, string>>;
  userAgent?: string;
  connections?: HttpConnections;
  clock?: Clock;
  /** Time without any data after which the download ends, ms; default 60,000. */
  idleMs?: number;
  /** Limit of the whole download, ms; default 20 minutes. */
  totalMs?: number;
  signal?: AbortSignal;
  onBytes?: OnBytes;
}

const maxRedirects = 5;

/**
 * Downloads to a new file.
 * @returns the SHA-256 of the file.
 * @throws BundleError; the signal's reason. The file may then contain a part of the content.
 */
export async function downloadBundle(download: BundleDownload, target: string): Promise<string> {
  const { label, sha256 } = download;
  if (sha256 === undefined) throw bundleError(label, 'no-digest');
  const clock = download.clock ?? systemClock;
  const connections = download.connections ?? new HttpConnections();
  const limit = new DownloadLimit(download, clock);
  const sweep = new CallSweep(clock);
  try {
    const response = await follow(download, { connections, clock, sweep }, limit);
    const body = limit.watched(response);
    const actual = await writeHashed(body, target, label, download.onBytes);
    if (actual !== sha256) throw bundleError(label, 'wrong-digest');
    return actual;
  } catch (error) {
    throw limit.reasonFor(error);
  } finally {
    limit.dispose();
    sweep.dispose();
    if (!download.connections) connections.dispose();
  }
}

type Shared = Parameters<typeof clientOptionsOf>[2];

/** The answer with the file, after at most five redirects. */
async function follow(download: BundleDownload, shared: Shared, limit: DownloadLimit): Promise<IncomingMessage> {
  const { label, headers = {}, userAgent } = download;
  const first = addressOf(download.url, label);
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const isOwn = url.origin === first.origin;
    const client = new HttpClient(
      clientOptionsOf(
        parseRemoteAddress(url.href),
        { headers: isOwn ? headers : {}, ...(userAgent === undefined ? {} : { userAgent }) },
        shared,
      ),
    );
    await client.load();
    const response = await answer(client, url, limit);
    const { statusCode: status = 0, headers: received } = response;
    if (status < 300 || status >= 400 || received.location === undefined) {
      const isEncoded = (received['content-encoding'] ?? 'identity') !== 'identity';
      if (status === 200 && !isEncoded && Number(received['content-length'] ?? 0) <= maxBundleBytes) return response;
      response.destroy();
      if (status === 200 && !isEncoded) throw bundleError(label, 'file-too-large', { limit: maxBundleBytes });
      throw bundleError(label, 'download-failed', { subject: `HTTP ${status}` });
    }
    response.destroy();
    if (redirects >= maxRedirects)
      throw bundleError(label, 'download-failed', { subject: t('more than {0} redirects', maxRedirects) });
    const next = addressOf(
      URL.canParse(received.location, url.href) ? new URL(received.location, url).href : '',
      label,
    );
    // A redirect must not change an encrypted download to an unencrypted one.
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw bundleError(label, 'bad-address', { subject: next.origin });
    url = next;
  }
}

function answer(client: HttpClient, url: URL, limit: DownloadLimit): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    limit.signal.throwIfAborted();
    const headers = { accept: 'application/octet-stream, */*', ...client.commonHeaders };
    const request = client.request('GET', `${url.pathname}${url.search}`, headers, false, (response) => {
      limit.signal.removeEventListener('abort', onAbort);
      resolve(response);
    });
    const onAbort = () => void request.destroy(limit.signal.reason instanceof Error ? limit.signal.reason : undefined);
    limit.signal.addEventListener('abort', onAbort, { once: true });
    request.on('error', reject);
    request.end();
  });
}

function addressOf(text: string, label: string): URL {
  const url = parsedUrl(text);
  const isLoopback = url !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  const isUsable = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (!url || !isUsable || url.username !== '' || url.password !== '')
    throw bundleError(label, 'bad-address', { subject: url ? url.origin : text });
  return url;
}

/** Ends a download that takes too long, sends nothing, or is canceled. */
class DownloadLimit {
  private readonly controller = new AbortController();
  private readonly whole: { dispose(): void };
  private idle: { dispose(): void };
  private isSilent = false;

  constructor(
    private readonly download: BundleDownload,
    private readonly clock: Clock,
  ) {
    const { totalMs = 20 * 60_000, signal } = download;
    const tooLong = () => {
      this.isSilent = true;
      this.controller.abort(new Error('The download took too long.'));
    };
    this.whole = clock.after(totalMs, tooLong);
    this.idle = clock.after(this.idleMs, tooLong);
    this.tooLong = tooLong;
    if (signal?.aborted === true) this.cancel();
    else signal?.addEventListener('abort', this.cancel, { once: true });
  }

  private readonly tooLong: () => void;

  private readonly cancel = () => {
    const reason: unknown = this.download.signal?.reason;
    this.controller.abort(reason instanceof Error ? reason : new HostError('cancelled', 'Canceled.'));
  };

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  private get idleMs(): number {
    return this.download.idleMs ?? 60_000;
  }

  /** The body of an answer, which ends with an error when the limit is reached. */
  async *watched(response: IncomingMessage): AsyncGenerator<Buffer> {
    const onAbort = () => void response.destroy(new Error('The download was ended.'));
    this.signal.addEventListener('abort', onAbort, { once: true });
    try {
      // The limit may have been reached before the first read.
      if (this.signal.aborted) onAbort();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        this.idle.dispose();
        this.idle = this.clock.after(this.idleMs, this.tooLong);
        yield chunk;
      }
      if (!response.complete) throw new Error('The download was cut off.');
    } finally {
      this.signal.removeEventListener('abort', onAbort);
    }
  }

  /** Converts an error of the download to the error that is thrown. */
  reasonFor(error: unknown): Error {
    const { label, url } = this.download;
    if (this.isSilent) return bundleError(label, 'download-silent', { subject: new URL(url).host, cause: error });
    const reason: unknown = this.signal.aborted ? this.signal.reason : error;
    if (reason instanceof BundleError || isCancelled(reason)) return reason as Error;
    if (this.signal.aborted && reason instanceof Error) return reason;
    return bundleError(label, 'download-failed', { subject: messageOf(reason), cause: error });
  }

  dispose(): void {
    this.whole.dispose();
    this.idle.dispose();
    this.download.signal?.removeEventListener('abort', this.cancel);
  }
}
