/**
 * Which servers may run. The rules come from VS Code's settings `chat.mcp.*` with their company policies, and from the
 * lists `mcpDeck.allowedServers` and `mcpDeck.deniedServers`. A server runs only if no rule of any source blocks it, so
 * each further rule can only reduce the number of servers that run.
 */
import type { PolicyOwner, PolicyReason } from '../base/failureKinds.js';
import { isObject } from '../base/guards.js';
import type { Event } from '../base/event.js';
import { HostError } from '../base/hostError.js';
import type { ServerDefinition } from '../config/serverDefinition.js';
import type { PolicySubject, ServerMatcher } from './serverMatcher.js';
import { denyingMatchers, matchersOf, matches, mayMatch, writtenEntry } from './serverMatcher.js';

/** A rule with its source. */
export interface PolicyRule {
  owner: PolicyOwner;
  /** The setting that contains the rule. */
  setting: string;
  reason: PolicyReason;
  /**
   * The servers that the rule denies, or the only ones that it allows. An empty list denies no server, or allows none.
   */
  servers: readonly ServerMatcher[];
}

/** Why a server is blocked. */
export interface Blocked {
  owner: PolicyOwner;
  setting: string;
  reason: PolicyReason;
  /** The entry of a list of denied servers, as JSON. */
  entry?: string;
}

/** The rules that apply now. */
export interface ServerPolicies {
  /** Called often; the list is the same object until something changes. */
  current(): readonly PolicyRule[];
  readonly onDidChange: Event<void>;
}

/** The values of one owner, unchecked. An absent value and `null` set no rule. */
export interface WrittenPolicy {
  owner: PolicyOwner;
  access?: unknown;
  allowed?: unknown;
  denied?: unknown;
  allowManagedOnly?: unknown;
}

/** The names of the settings in which the values of `WrittenPolicy` are written. */
export type PolicySettings = Readonly<Partial<Record<Exclude<keyof WrittenPolicy, 'owner'>, string>>>;

export const vsCodePolicySettings: PolicySettings = {
  access: 'chat.mcp.access',
  allowed: 'chat.mcp.allowedServers',
  denied: 'chat.mcp.deniedServers',
  allowManagedOnly: 'chat.mcp.allowManagedServersOnly',
};

/** The lists of MCP Deck, in the same format, for companies that do not set the policies of VS Code. */
export const ownPolicySettings: PolicySettings = {
  allowed: 'mcpDeck.allowedServers',
  denied: 'mcpDeck.deniedServers',
};

/** The order in which reasons are stated if several rules block a server. */
const order: Readonly<Record<PolicyReason, number>> = {
  none: 0,
  denied: 1,
  registry: 2,
  'not-managed': 3,
  'not-allowed': 4,
};

/**
 * Reads the rules of all owners. A list of allowed servers that cannot be read allows no server. Other values that
 * cannot be read set no rule.
 */
export function readPolicy(written: readonly WrittenPolicy[], settings: PolicySettings): readonly PolicyRule[] {
  const isManaged = written.some(({ owner, allowed }) => owner === 'organization' && isSet(allowed));
  return written
    .flatMap((values) => rulesOf(values, settings, isManaged))
    .sort((a, b) => order[a.reason] - order[b.reason]);
}

function rulesOf(
  { owner, access, allowed, denied, allowManagedOnly }: WrittenPolicy,
  settings: PolicySettings,
  isManaged: boolean,
): PolicyRule[] {
  const rule = (setting = '', reason: PolicyReason, servers: readonly ServerMatcher[] = []): PolicyRule[] => [
    { owner, setting, reason, servers },
  ];
  return [
    ...(access === 'none' || access === 'registry' ? rule(settings.access, access) : []),
    ...(isSet(denied) ? rule(settings.denied, 'denied', deniedIn(denied)) : []),
    ...(isSet(allowed) ? rule(settings.allowed, 'not-allowed', allowedIn(allowed)) : []),
    // Only the list of the organization counts. If it is missing, no server is allowed.
    ...(allowManagedOnly === true && !isManaged ? rule(settings.allowManagedOnly, 'not-managed') : []),
  ];
}

/**
 * The first rule that blocks the server; undefined if it may run. Parts of the server with unresolved variables do not
 * block it yet: call it again with the resolved values before the server starts.
 */
export function blockedBy(rules: readonly PolicyRule[], subject: PolicySubject): Blocked | undefined {
  for (const { owner, setting, reason, servers } of rules) {
    const found = servers.find((server) => matches(server, subject));
    if (reason === 'denied') {
      if (found) return { owner, setting, reason, entry: writtenEntry(found) };
    } else if (!found && !servers.some((server) => mayMatch(server, subject))) return { owner, setting, reason };
  }
  return undefined;
}

/** The facts about a server that policies check. */
export function subjectOf(name: string, definition: ServerDefinition): PolicySubject {
  if (definition.type === 'builtin') return { name };
  if (definition.type === 'stdio') return { name, command: [definition.command, ...definition.args] };
  return { name, url: definition.url };
}

/** The error for a blocked server. The text that users read is in `present/failure`. */
export function blockedError(server: string, { owner, setting, reason, entry }: Blocked): HostError {
  return new HostError('blocked', `The server is blocked by ${setting}.`, {
    data: { server, by: owner, setting, why: reason, ...(entry === undefined ? {} : { entry }) },
  });
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function allowedIn(value: unknown): readonly ServerMatcher[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    const matchers = matchersOf(entry);
    return matchers.length === 1 && isObject(entry) && Object.keys(entry).length === 1 ? matchers : [];
  });
}

function deniedIn(value: unknown): readonly ServerMatcher[] {
  return Array.isArray(value) ? value.flatMap((entry) => denyingMatchers(entry)) : [];
}
