/** The sentences for servers that cannot be reached or started, and for requests that end with an HTTP error status. */
import { t } from '@vscode/l10n';
import type { HttpStatusWhy, SpawnFailedWhy, UnreachableWhy } from '../../base/failureKinds.js';
import { remedyFor } from '../../transport/stdio/findCommand.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindText, KindTexts } from './kindText.js';
import { quoted, requestText } from './kindText.js';

export const unreachableKinds: KindTexts<'connection-refused', UnreachableWhy> = {
  'no-listener': {
    what: (f) => unreachable(f, t('No program listens at {0}.', f.shown('place'))),
    short: () => t('connection refused'),
    next: ({ data }) =>
      data.isSocketFile === true
        ? t('Check whether the server is running. The socket might be left over from an earlier run.')
        : t('Check whether the server is running and the port is correct.'),
  },
  'no-socket': {
    what: (f) => unreachable(f, t('There is no socket at {0}.', f.shown('place'))),
    short: () => t('cannot be reached'),
    next: () => t('Check whether the server is running.'),
  },
  denied: {
    what: (f) => unreachable(f, t('Access to {0} is denied ({1}).', f.shown('place'), f.shown('errno'))),
    short: () => t('cannot be reached'),
    next: ({ data }) =>
      data.isSocketFile === true
        ? t('Check the permissions of the socket.')
        : t('Check the network connection and the firewall.'),
  },
  'no-name': {
    what: (f) => unreachable(f, t('The host name in {0} could not be resolved.', f.shown('place'))),
    short: () => t('host not found'),
    next: () => t('Check the URL and the network connection.'),
  },
  'no-route': {
    what: (f) => unreachable(f, t('{0} cannot be reached ({1}).', f.shown('place'), f.shown('errno'))),
    short: () => t('cannot be reached'),
    next: () => t('Check the network connection and the proxy settings.'),
  },
  tls: tls(() =>
    t(
      'For a private certificate authority, specify the PEM file with its certificate in "caFile" of this server. The certificate check cannot be turned off.',
    ),
  ),
  'tls-protocol': tls(() => t('The server might use plain HTTP on this port.')),
  'tls-name': tls(() => t('The certificate is for a different host name. Check the URL.')),
  'tls-expired': tls(() => t('The certificate has expired. The operator of the server must renew it.')),
  other: {
    what: (f) => unreachable(f, t('The connection to {0} failed: {1}', f.shown('place'), quoted(f.text('detail')))),
    short: () => t('cannot be reached'),
  },
};

export const statusKinds: KindTexts<'http-status', HttpStatusWhy> = {
  plain: {
    what: (f) => {
      const [request, status, body] = [requestOf(f), f.number('status') ?? 0, f.text('bodyText', 200)];
      return body === undefined
        ? t('{0} answered {1} with HTTP status {2}.', f.subject, request, status)
        : t('{0} answered {1} with HTTP status {2}: {3}', f.subject, request, status, quoted(body));
    },
    short: shortStatus,
    next: statusAdvice,
  },
  'in-new-session': {
    what: (f) =>
      t(
        '{0} answered {1} with HTTP status {2}, even in a new session.',
        f.subject,
        requestOf(f),
        f.number('status') ?? 0,
      ),
    short: shortStatus,
    next: () => t('The server answers other requests, so this is a fault in the server.'),
  },
  'after-handshake': {
    what: (f) =>
      t(
        '{0} completes the handshake, but then answers every request with HTTP status {1}.',
        f.subject,
        f.number('status') ?? 0,
      ),
    short: shortStatus,
    next: () => t('Restart the server. If it runs behind a proxy, check that all requests reach the same instance.'),
  },
  'websocket-redirect': {
    what: (f) =>
      t(
        '{0} redirects the WebSocket to {1}. MCP Deck does not follow this redirect.',
        f.subject,
        f.shown('target', 100),
      ),
    short: shortStatus,
    next: correctUrl,
  },
  'redirect-nowhere': redirect((f) =>
    t('the server responded with status {0} and without a new URL', f.number('status') ?? 0),
  ),
  'redirect-no-url': redirect((f) => t('the server redirects to "{0}", which is not a URL', f.shown('target', 100))),
  'redirect-scheme': redirect((f) => t('the server redirects to the scheme "{0}"', f.shown('target', 30))),
  'redirect-origin': redirect((f) => t('the server redirects to another origin, {0}', f.shown('target', 100))),
  'redirect-drops-message': redirect((f) =>
    t('the server redirects with status {0}, which would drop the message', f.number('status') ?? 0),
  ),
  'redirect-too-often': redirect((f) => t('the server redirects more than {0} times', f.number('redirects') ?? 0)),
};

export const spawnKinds: KindTexts<'spawn-failed', SpawnFailedWhy> = {
  'no-folder': spawn(
    (f) => t('The working directory for "{0}" is not an existing folder: {1}.', command(f), f.shown('cwd', 300)),
    () => t('Correct "cwd" in the configuration.'),
  ),
  'not-found': spawn(
    (f) => {
      const name = f.data.command ?? '';
      const isPath = name.includes('/') || name.includes('\\');
      return isPath
        ? t('Command not found: {0}.', command(f))
        : t('Command not found: {0} (looked in the {1} folders of PATH).', command(f), f.data.folders?.length ?? 0);
    },
    (f) => remedyFor(f.data.command ?? '', t),
  ),
  'not-permitted': spawn(
    (f) => t('"{0}" cannot be run: permission denied.', command(f)),
    () => t('Make the file executable, or start it through its interpreter.'),
  ),
  refused: spawn((f) => t('The operating system refused to run "{0}" ({1}).', command(f), f.shown('errno', 40))),
  'part-missing': spawn(
    (f) =>
      t(
        '"{0}" exists, but the operating system cannot run it, because a component that it needs is missing.',
        command(f),
      ),
    () => t('The program might be built for another operating system or processor.'),
  ),
  'line-ending': spawn(
    (f) =>
      t(
        'The first line of "{0}" has a Windows line ending, so {1} is not found.',
        command(f),
        f.shown('interpreter', 100),
      ),
    () => t('Save the script with line feeds (LF) as line endings.'),
  ),
  'no-interpreter': spawn(
    (f) => t('The first line of "{0}" specifies {1}, which does not exist.', command(f), f.shown('interpreter', 100)),
    () => t('Install that program, or correct the first line of the script.'),
  ),
};

function unreachable(f: FailureFacts<'connection-refused'>, why: string): string {
  return t('{0} cannot be reached. {1}', f.subject, why);
}

function tls(next: () => string): KindText<'connection-refused'> {
  return {
    what: (f) =>
      unreachable(
        f,
        t(
          'The secure connection to {0} failed: {1} ({2}).',
          f.shown('place'),
          f.shown('detail', 300),
          f.shown('errno'),
        ),
      ),
    short: () => t('cannot be reached'),
    next,
  };
}

function requestOf(f: FailureFacts<'http-status'>): string {
  return requestText(f.shown('request', 60));
}

function shortStatus(f: FailureFacts<'http-status'>): string {
  return t('HTTP status {0}', f.number('status') ?? 0);
}

function statusAdvice(f: FailureFacts<'http-status'>): string | undefined {
  const status = f.number('status') ?? 0;
  if (status === 403) return t('The server refuses access. Check the credentials in its configuration.');
  if (status === 407) return t('The proxy requires a sign-in. Check the proxy settings of VS Code.');
  if (status === 404 || status === 405) return t('Check the path of the URL. MCP servers are often at /mcp or /sse.');
  if (status === 429) return t('The server limits the number of requests. Wait before you try again.');
  return status >= 500 ? t('The server or an intermediary has a fault.') : undefined;
}

function correctUrl(): string {
  return t('If the server has moved to a location that you trust, change its URL in the configuration.');
}

function redirect(why: (f: FailureFacts<'http-status'>) => string): KindText<'http-status'> {
  return {
    said: (f) => t('MCP Deck did not follow the redirect of {0}: {1}.', requestOf(f), why(f)),
    next: correctUrl,
  };
}

function spawn(
  why: (f: FailureFacts<'spawn-failed'>) => string,
  next?: (f: FailureFacts<'spawn-failed'>) => string,
): KindText<'spawn-failed'> {
  return { what: (f) => t('{0} could not be started. {1}', f.subject, why(f)), short: why, ...(next && { next }) };
}

function command(f: FailureFacts<'spawn-failed'>): string {
  return f.shown('command', 300);
}
