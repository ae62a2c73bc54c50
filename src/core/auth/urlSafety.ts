/**
 * The URLs that a sign-in may contact. They come from untrusted servers (MCP security best practices, "SSRF" and "OAuth
 * Authorization URL Validation"; RFC 9728 section 7.7). The rules are:
 * - The scheme is https, or http for a host on this machine if the server is on this machine as well.
 * - The URL contains no credentials.
 * - The host is public, unless it is the server's own host, the user configured it, or the server is in the same zone,
 *   which must be `private` or `loopback`.
 *
 * `URL` normalizes notations (octal, hexadecimal, mapped IPv6) and `BlockList` compares addresses.
 */
import { BlockList, isIP } from 'node:net';

/**
 * The network that an address belongs to. `forbidden` covers link-local addresses (including cloud metadata services),
 * multicast, tunnels and the unspecified address.
 */
export type Zone = 'public' | 'private' | 'loopback' | 'forbidden';

const reserved = [
  '0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 198.18.0.0/15 224.0.0.0/3 168.63.129.16/32',
  '::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2001::/32 2002::/16 fd00:ec2::/32 fe80::/10 ff00::/8',
];
const zones: readonly [Zone, BlockList][] = [
  ['loopback', blockList('127.0.0.0/8 ::1/128')],
  ['forbidden', blockList(reserved.join(' '))],
  ['private', blockList('10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10')],
];

function blockList(subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(' ')) {
    const [address = '', bits] = subnet.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** The zone of a literal IP address; a mapped IPv4 address counts as IPv4. */
export function zoneOfAddress(address: string): Zone {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return zones.find(([, list]) => list.check(address, family))?.[0] ?? 'public';
}

/** The host of a URL without IPv6 brackets and the final dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, '');
}

/** The zone of a host that needs no lookup: a literal address or `localhost`. Undefined for other names. */
export function zoneOfHost(host: string): Zone | undefined {
  if (/(^|\.)localhost$/.test(host)) return 'loopback';
  return isIP(host) === 0 ? undefined : zoneOfAddress(host);
}

/** The host of the server and the user's exceptions; `targetProblem` checks a URL against them. */
export interface TargetPolicy {
  serverHost: string;
  serverZone: Zone;
  /** Hosts that the user configured (for example, an identity provider in the company network); lower case. */
  trustedHosts: ReadonlySet<string>;
}

/**
 * Why `url` must not be contacted or opened, worded as the end of a sentence; undefined if it is allowed.
 * @param zonesOfTarget zones of all addresses that the host resolves to; empty if it could not be resolved.
 */
export function targetProblem(url: URL, zonesOfTarget: readonly Zone[], policy: TargetPolicy): string | undefined {
  const host = hostOf(url);
  const isLoopback = zonesOfTarget.length > 0 && zonesOfTarget.every((zone) => zone === 'loopback');
  const form = urlFormProblem(url);
  if (form) return form;
  if (url.protocol === 'http:' && !(isLoopback && policy.serverZone === 'loopback'))
    return 'http is allowed only if the server and the URL are on this machine';
  if (host === policy.serverHost || policy.trustedHosts.has(host)) return undefined;
  const bad = zonesOfTarget.find((zone) => zone !== 'public' && (zone !== policy.serverZone || zone === 'forbidden'));
  if (bad === 'forbidden') return 'its address is link-local or reserved';
  return bad && `its address is ${bad}, but the address of the server is not`;
}

/**
 * The problem with the form of a URL: a scheme other than http or https, or credentials. Undefined if there is none.
 */
export function urlFormProblem(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `the scheme "${url.protocol}" is not http or https`;
  return url.username || url.password ? 'it contains a user name or password' : undefined;
}
