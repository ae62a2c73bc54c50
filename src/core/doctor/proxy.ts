/**
 * Determines which proxy VS Code uses for the requests of extensions, from its settings and the environment variables.
 * The proxy settings of the operating system cannot be read here.
 */
import { t } from '@vscode/l10n';
import { isStringArray } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { RemoteAddress } from '../transport/http/remoteAddress.js';
import type { Check } from './check.js';
import { failed, ok, skipped } from './check.js';

export interface Proxy {
  protocol: 'http:' | 'https:' | 'socks:';
  hostname: string;
  port: number;
  /** Host and port of the proxy, without secrets. */
  label: string;
  /** Where the proxy is set, as a part of a sentence. */
  setBy: string;
  /** Value of `Proxy-Authorization`. */
  authorization?: string;
  /** The parts of the proxy's URL that must not be shown. */
  secretValues: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;
type GetSetting = (key: string) => unknown;

const variables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];
const defaultPorts = { 'http:': 80, 'https:': 443, 'socks:': 1080 } as const;

/**
 * The proxy of the requests to an address, and the check that reports it. Requests to this machine and to sockets use
 * no proxy.
 */
export function findProxy(
  address: RemoteAddress,
  env: Environment,
  getSetting: GetSetting,
): { check: Check; proxy?: Proxy } {
  if (address.socketPath !== undefined || ['localhost', '127.0.0.1', '::1'].includes(address.hostname))
    return { check: skipped('proxy', t('Connections to this machine do not use a proxy.')) };
  const support = getSetting('http.proxySupport');
  if (support === 'off')
    return { check: ok('proxy', t('"http.proxySupport" is "off", so requests do not use a proxy.')) };
  const set = [
    { value: getSetting('http.proxy'), setBy: t('the setting "http.proxy"') },
    ...variables.map((name) => ({ value: env[name], setBy: t('the variable {0}', name) })),
  ].flatMap(({ value, setBy }) =>
    typeof value === 'string' && value.trim() !== '' ? [{ value: value.trim(), setBy }] : [],
  );
  const [first] = set;
  if (!first) return { check: ok('proxy', t('No proxy is set.')) };
  const exceptedBy = exceptionFor(address, env, getSetting);
  if (exceptedBy !== undefined)
    return { check: ok('proxy', t('A proxy is set, but {0} excludes this host.', exceptedBy)) };
  const proxy = parseProxy(first.value, first.setBy, getSetting('http.proxyAuthorization'));
  // The message omits the value, which may contain a password.
  if (!proxy)
    return {
      check: failed(
        'proxy',
        t('The proxy in {0} is not a valid URL, so VS Code does not use it.', first.setBy),
        t(
          'Correct {0}. The URL needs a scheme and a host, and usually a port, for example http://proxy.example:3128.',
          first.setBy,
        ),
      ),
    };
  return { check: ok('proxy', t('Requests go through {0}, which is set by {1}.', proxy.label, proxy.setBy)), proxy };
}

function parseProxy(text: string, setBy: string, authorization: unknown): Proxy | undefined {
  const scheme = /^(https?|socks(?:4a?|5h?)?):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  // `URL` parses hosts and ports only for web schemes, so the scheme is replaced.
  const rest = `http${text.slice(scheme.length)}`;
  if (!URL.canParse(rest)) return undefined;
  const url = new URL(rest);
  const protocol = scheme === 'http' ? 'http:' : scheme === 'https' ? 'https:' : 'socks:';
  const port = url.port === '' ? defaultPorts[protocol] : Number(url.port);
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const given =
    user === ''
      ? typeof authorization === 'string' && authorization !== ''
        ? authorization
        : undefined
      : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return {
    protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    label: `${visibleLine(url.hostname)}:${port}`,
    setBy,
    ...(given === undefined ? {} : { authorization: given }),
    secretValues: [given, password, url.password].filter(
      (value): value is string => value !== undefined && value.length >= 6,
    ),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The setting that excludes the host from the proxy, as a part of a sentence. If VS Code's setting is not empty, the
 * environment variables are ignored.
 */
function exceptionFor(address: RemoteAddress, env: Environment, getSetting: GetSetting): string | undefined {
  const setting = getSetting('http.noProxy');
  const isSet = isStringArray(setting) && setting.length > 0;
  const names = isSet ? setting : (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(',');
  return names.some((name) => covers(name.trim().toLowerCase(), address))
    ? isSet
      ? t('the setting "http.noProxy"')
      : t('the variable NO_PROXY')
    : undefined;
}

/**
 * Whether an exception applies to an address, by the rules of VS Code: a name includes its subdomains, a port must
 * match, and network ranges are not supported.
 */
function covers(name: string, { hostname, port }: RemoteAddress): boolean {
  if (name === '*') return true;
  const [host = '', wantedPort = ''] = name.split(':');
  return (
    host !== '' &&
    `.${hostname}`.endsWith(host.startsWith('.') ? host : `.${host}`) &&
    (wantedPort === '' || wantedPort === String(port))
  );
}
