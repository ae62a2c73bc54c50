/** The checks of the connection to a remote server, in order, and of its first response. */
import { t } from '@vscode/l10n';
import type { AccountInfo } from '../auth/serverRecord.js';
import { visibleLine } from '../base/hostileText.js';
import type { Inspection } from '../catalog/inspection.js';
import { failureText } from '../present/failure/failureText.js';
import type { RemoteAddress } from '../transport/http/remoteAddress.js';
import { parseRemoteAddress } from '../transport/http/remoteAddress.js';
import type { Check, CheckId, DoctorHost } from './check.js';
import { failed, ok, warning } from './check.js';
import { askHttp, askWebSocket, judgeAnswer } from './httpChecks.js';
import { checkCertificate, checkName, checkPort } from './networkChecks.js';
import type { Proxy } from './proxy.js';
import { findProxy } from './proxy.js';
import type { RemoteResponse, RemoteServer, RequestTarget } from './remoteRequest.js';
import { checkSignIn } from './signInCheck.js';

export interface RemoteStepsOptions {
  signIns: DoctorHost['signIns'];
  stepMs: number;
  signal: AbortSignal;
  onStep?: ((id: CheckId) => void) | undefined;
  /** Receives secret values, which must not be shown. */
  hide: (values: readonly string[]) => void;
}

/** Yields the checks of a remote server. Returns whether to try a start. */
export async function* remoteSteps(
  id: string,
  server: RemoteServer,
  inspection: Inspection,
  options: RemoteStepsOptions,
): AsyncGenerator<Check, boolean> {
  const { stepMs, onStep, hide } = options;
  let address: RemoteAddress;
  try {
    address = parseRemoteAddress(server.url);
  } catch (error) {
    yield failed('address', failureText(error, undefined).what, t('Correct the field "url" of the server.'));
    return false;
  }
  yield ok('address', t('The URL is {0}.', visibleLine(address.label)));
  const { check, proxy } = findProxy(address, inspection.env, inspection.getSetting);
  hide(proxy?.secretValues ?? []);
  yield check;
  const target: RequestTarget = { address, server, authorizer: await inspection.authorizer(server), stepMs };
  const before = await accountOf(id, server, options);
  let answer: RemoteResponse | undefined;
  for await (const found of network(address, server, proxy, options)) {
    if (found.outcome === 'failed' && !proxy && !address.isLoopback && address.protocol !== 'ws:') {
      // A response can arrive even if the direct checks failed, because only VS Code knows the proxy of the operating
      // system.
      const tried = await ask(target);
      if (!('problem' in tried)) {
        answer = tried;
        yield ok(
          found.id,
          t(
            '{0} However, the server responds. VS Code might reach it in another way, for example through the proxy of the operating system.',
            found.seen,
          ),
        );
        break;
      }
    }
    yield found;
    if (found.outcome === 'failed') return false;
  }
  // A socket without HTTP accepts no request before the handshake, so the start is the next check.
  if (server.type === 'socket') return true;
  onStep?.('http');
  answer ??= await ask(target);
  const said = judgeAnswer(answer, target, proxy);
  yield said;
  const after = await accountOf(id, server, options);
  const signIn = await checkSignIn({
    name: inspection.entry.name,
    target,
    answer,
    before,
    after,
    signal: options.signal,
  });
  if (signIn) {
    onStep?.('sign-in');
    yield signIn;
  }
  // Without a response, a start would only wait for a longer timeout. The transport does not follow the redirect
  // either.
  return said.outcome !== 'failed' || !('problem' in answer || 'redirect' in answer);
}

async function* network(
  address: RemoteAddress,
  { ca }: RemoteServer,
  proxy: Proxy | undefined,
  { stepMs, onStep }: RemoteStepsOptions,
): AsyncGenerator<Check> {
  if (address.socketPath === undefined) {
    onStep?.('name');
    yield await checkName(address, proxy, stepMs);
  }
  onStep?.('port');
  yield await checkPort(address, proxy, stepMs);
  const isSecure = address.protocol === 'https:' || address.protocol === 'wss:';
  if (isSecure) {
    onStep?.('certificate');
    yield await checkCertificate(address, proxy, ca, stepMs);
  } else if (address.isLoopback) return;
  else if (address.protocol === 'ws:')
    yield failed(
      'certificate',
      t('The connection would not be encrypted. MCP Deck allows ws:// only for this machine.'),
      t('Use wss:// in "url".'),
    );
  else
    yield warning(
      'certificate',
      t('The connection is not encrypted.'),
      t('If the server supports HTTPS, use https:// in "url".'),
    );
}

function ask(target: RequestTarget): Promise<RemoteResponse> {
  return target.address.protocol.startsWith('ws') ? askWebSocket(target) : askHttp(target);
}

/** The account that requests use; undefined if there is none, or none with the name that the definition specifies. */
async function accountOf(
  id: string,
  server: RemoteServer,
  { signIns }: RemoteStepsOptions,
): Promise<AccountInfo | undefined> {
  const accounts = await signIns.accounts(id).catch((): AccountInfo[] => []);
  const named = server.oauth === false ? undefined : server.oauth?.account;
  return accounts.find(({ account, isSelected }) => (named === undefined ? isSelected : account === named));
}
