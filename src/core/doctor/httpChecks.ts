/** Sends a first request to a remote server and interprets the response. */
import { randomBytes } from 'node:crypto';
import { t } from '@vscode/l10n';
import { visibleLine } from '../base/hostileText.js';
import type { Check } from './check.js';
import { failed, ok, skipped } from './check.js';
import { proxySignIn } from './networkChecks.js';
import type { Proxy } from './proxy.js';
import type { RemoteResponse, RequestTarget } from './remoteRequest.js';
import { askServer } from './remoteRequest.js';

function ownLog(): string {
  return t("Check the server's own log.");
}

const subprotocol = 'mcp';

/**
 * Sends a ping by POST, as Streamable HTTP requires. If the response has status 404 or 405, opens the event stream of
 * HTTP+SSE by GET, unless the type of the server is `http`.
 */
export async function askHttp(target: RequestTarget): Promise<RemoteResponse> {
  const { type } = target.server;
  const accept = 'application/json, text/event-stream';
  const posted = await askServer(target, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  if (type === 'http' || !('text' in posted) || ![404, 405].includes(posted.status)) return posted;
  const stream = await askServer(target, { method: 'GET', headers: { accept } });
  return 'text' in stream && stream.status === 200 && /event-stream/i.test(stream.type) ? stream : posted;
}

/** Requests the upgrade to a WebSocket, and returns the response. No connection stays open. */
export function askWebSocket(target: RequestTarget): Promise<RemoteResponse> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': subprotocol,
  };
  return askServer(target, { method: 'GET', headers });
}

/** The check of the first response: failed unless the server can be reached and responds like an MCP server. */
export function judgeAnswer(
  answer: RemoteResponse,
  { address, server }: RequestTarget,
  proxy: Proxy | undefined,
): Check {
  if ('problem' in answer && answer.error)
    return skipped('http', t('Not requested, because the token has expired and could not be renewed.'));
  if ('problem' in answer)
    return failed(
      'http',
      t('The request failed: {0}.', answer.problem),
      proxy
        ? t("Check the server's own log, and check whether the proxy {0} can reach the server.", proxy.label)
        : ownLog(),
    );
  const { status } = answer;
  if ('redirect' in answer)
    return failed(
      'http',
      t('MCP Deck does not follow the redirect (status {0}): {1}.', status, answer.redirect),
      answer.target === undefined
        ? ownLog()
        : t('If you trust this URL, set "url" to {0}.', visibleLine(answer.target)),
    );
  const { type, text, refusal } = answer;
  const excerpt = text === '' ? '' : t(' The response says: {0}', visibleLine(text, 160));
  const isWebSocket = address.protocol.startsWith('ws');
  // A response through a tunnel comes from the server itself, not from the proxy.
  const maybeProxy =
    proxy && address.protocol === 'http:' ? t(' The response might also come from the proxy {0}.', proxy.label) : '';
  if (status === 401 || refusal?.error)
    return ok('http', t('The server responds and requires a sign-in (status {0}).', status));
  if (status === 403)
    return failed(
      'http',
      t('The server responds with status 403 and refuses access.{0}{1}', maybeProxy, excerpt),
      Object.keys(server.headers).length > 0
        ? t('Check the token in "headers". It might not be valid for this server.')
        : t('Add a token to "headers", or sign in with another account.'),
    );
  if (status === 404 || status === 405)
    return failed(
      'http',
      t('The response has status {0}: there is no MCP server at {1}.{2}', status, visibleLine(address.path), excerpt),
      t('Check the path of "url". MCP servers are often at /mcp or /sse.'),
    );
  if (status === 407) return failed('http', t('The proxy requires a sign-in (status 407).'), proxySignIn(proxy));
  if (status >= 500)
    return failed(
      'http',
      t('The response has status {0}: the server or an intermediary has a fault.{1}{2}', status, maybeProxy, excerpt),
      ownLog(),
    );
  if (isWebSocket) return judgeUpgrade(answer, excerpt);
  if (/html/i.test(type))
    return failed(
      'http',
      t('The response is a web page instead of an MCP message.{0}', excerpt),
      t('Check "url", or sign in to the network first.'),
    );
  // A server may refuse a ping before the handshake, so any MCP response is sufficient.
  return ok(
    'http',
    type === ''
      ? t('The server responds (status {0}).', status)
      : t('The server responds (status {0}, {1}).', status, visibleLine(type, 60)),
  );
}

function judgeUpgrade({ status, response }: Extract<RemoteResponse, { text: string }>, excerpt: string): Check {
  if (status !== 101)
    return failed(
      'http',
      t('The server responds with status {0} instead of opening a WebSocket.{1}', status, excerpt),
      t('Check the path of "url". If the server uses HTTP, begin the URL with http:// or https://.'),
    );
  const agreed = response.headers['sec-websocket-protocol'];
  if (agreed === subprotocol)
    return ok('http', t('The server opens a WebSocket with the subprotocol "{0}".', subprotocol));
  return failed(
    'http',
    agreed === undefined
      ? t('The server opens a WebSocket but does not accept the subprotocol "{0}".', subprotocol)
      : t(
          'The server opens a WebSocket but accepts the subprotocol "{1}" instead of "{0}".',
          subprotocol,
          visibleLine(agreed, 60),
        ),
    t('Check the path of "url". An MCP server over WebSocket must accept "{0}".', subprotocol),
  );
}
