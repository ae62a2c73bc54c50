import { t } from '@vscode/l10n';
import type { Node } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import type { ConfigMember } from './configNodes.js';
import { membersOf } from './configNodes.js';
import type { OAuthDefinition } from './oauthDefinition.js';

/**
 * Reports an error. The error makes the server unusable, because a sign-in that differs from the configured one may
 * contact the wrong host.
 */
export type ReportError = (message: string, node?: Node) => void;

type TextField = {
  [Key in keyof Required<OAuthDefinition>]: Required<OAuthDefinition>[Key] extends string ? Key : never;
}[keyof OAuthDefinition];

const textFields: readonly Exclude<TextField, 'grant'>[] = [
  'clientId',
  'clientSecret',
  'issuer',
  'redirectUri',
  'clientMetadataUrl',
  'account',
  'privateKeyFile',
  'keyId',
  'idTokenFile',
  'tokenFile',
];
const grants = ['client-credentials', 'enterprise', 'workload'] as const;
const known: ReadonlySet<string> = new Set([
  ...textFields,
  'scopes',
  'trustedHosts',
  'grant',
  'provider',
  'callbackPort',
]);

/** Required fields of each grant. Each inner list contains alternatives. */
const needs: Record<NonNullable<OAuthDefinition['grant']>, readonly (readonly (keyof OAuthDefinition)[])[]> = {
  'client-credentials': [['clientId'], ['clientSecret', 'privateKeyFile']],
  enterprise: [['clientId'], ['provider'], ['idTokenFile']],
  // The platform issues the JWT for one issuer. The server must not choose who receives it.
  workload: [['issuer'], ['tokenFile']],
};

/** Reads the field `oauth`. `false` disables the sign-in; undefined if the value cannot be used. */
export function readOAuth(node: Node, fail: ReportError): OAuthDefinition | false | undefined {
  if (node.value === false) return false;
  if (node.type !== 'object') {
    fail(t('"oauth" must be an object, for example { "clientId": "…" }, or false for no sign-in.'), node);
    return undefined;
  }
  const members = new Map(
    membersOf(node)
      .filter(({ value }) => value.type !== 'null')
      .map((member) => [member.name, member]),
  );
  const definition: OAuthDefinition = {};
  for (const { name, key } of members.values())
    if (!known.has(name)) fail(t('"{0}" is not a field of "oauth".', visibleLine(name, 60)), key);
  for (const name of textFields) {
    const text = oneLine(members.get(name), `"oauth.${name}"`, fail);
    if (text !== undefined) definition[name] = text;
  }
  for (const name of ['scopes', 'trustedHosts'] as const) {
    const list = listOf(members.get(name), name, fail);
    if (list) definition[name] = list;
  }
  const port = members.get('callbackPort')?.value;
  if (port) {
    const value: unknown = port.value;
    // Claude Code configures only the port.
    if (Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536)
      definition.redirectUri ??= `http://localhost:${Number(value)}/callback`;
    else fail(t('"oauth.callbackPort" must be a port number.'), port);
  }
  const provider = providerOf(members.get('provider'), fail);
  if (provider) definition.provider = provider;
  const grant = members.get('grant')?.value;
  if (grant) {
    const chosen = grants.find((candidate) => candidate === grant.value);
    if (chosen) definition.grant = chosen;
    else fail(t('"oauth.grant" must be one of {0}.', grants.join(', ')), grant);
  }
  for (const choices of definition.grant ? needs[definition.grant] : []) {
    if (!choices.some((name) => definition[name] !== undefined))
      fail(
        t(
          'The grant "{0}" needs {1}.',
          String(definition.grant),
          choices.map((name) => `"oauth.${name}"`).join(' or '),
        ),
        grant ?? node,
      );
  }
  return definition;
}

function providerOf(member: ConfigMember | undefined, fail: ReportError): OAuthDefinition['provider'] {
  if (!member) return undefined;
  const members = new Map(
    member.value.type === 'object' ? membersOf(member.value).map((inner) => [inner.name, inner]) : [],
  );
  const text = (name: string) => oneLine(members.get(name), `"oauth.provider.${name}"`, fail);
  const [issuer, tokenEndpoint, clientId, clientSecret] = [
    text('issuer'),
    text('tokenEndpoint'),
    text('clientId'),
    text('clientSecret'),
  ];
  if (issuer === undefined || tokenEndpoint === undefined || clientId === undefined) {
    fail(t('"oauth.provider" needs "issuer", "tokenEndpoint", and "clientId".'), member.value);
    return undefined;
  }
  return { issuer, tokenEndpoint, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

function oneLine(member: ConfigMember | undefined, what: string, fail: ReportError): string | undefined {
  const value: unknown = member?.value.value;
  if (!member || (typeof value === 'string' && value !== '' && !/\p{Cc}/u.test(value)))
    return value as string | undefined;
  fail(t('{0} must be a string that is not empty and has only one line.', what), member.value);
  return undefined;
}

/** Reads a list of texts. It may also be one space-separated text, like the scopes in OAuth. */
function listOf(
  member: ConfigMember | undefined,
  name: 'scopes' | 'trustedHosts',
  fail: ReportError,
): string[] | undefined {
  if (!member) return undefined;
  const written: unknown = member.value.value;
  if (typeof written === 'string') return written.split(/\s+/).filter((item) => item !== '');
  const items = (member.value.children ?? []).map(({ value }: Node): unknown => value);
  if (
    member.value.type === 'array' &&
    items.every((item): item is string => typeof item === 'string' && /^[^\s\p{Cc}]+$/u.test(item))
  )
    return items;
  fail(t('"oauth.{0}" must be a list of strings without spaces.', name), member.value);
  return undefined;
}
