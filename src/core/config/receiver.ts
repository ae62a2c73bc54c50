/**
 * Determines the receiver of the values that a user types for a server: the program that runs, or the URL that is
 * contacted.
 */
import { canonicalJson } from '../base/jsonText.js';
import { debugpyPathOf } from './dev.js';
import { isLoaderVariable } from './loaderVariables.js';
import type { OAuthDefinition } from './oauthDefinition.js';
import type { ServerDefinition } from './serverDefinition.js';
import { valueOfVariable } from './variables.js';
import { collectVariables, variablesIn } from './variableSyntax.js';
import type { StartContext } from './variables.js';
import { workspaceValues } from './variableValues.js';
import { canBePlace } from './writtenValue.js';

/**
 * Values of the variables that determine a program or a URL. The key is the text between the braces, or `envFile` for the
 * digest of the environment file. Never shown or stored.
 */
export type ReceiverValues = ReadonlyMap<string, string>;

/**
 * The parts of a definition that determine who receives a value, as written. They include:
 * - environment variables that change what a program loads, with their values,
 * - the names of other environment variables, and their values if they contain an input or can be an address or a path,
 * - the addresses to which a sign-in sends secrets,
 * - the program that a debugger runs.
 */
export function receiverOf(definition: ServerDefinition): unknown {
  if (definition.type === 'builtin') return [];
  if (definition.type !== 'stdio')
    return [definition.url, definition.headers, definition.caFile ?? null, ...signInPlaces(definition.oauth)];
  const { command, args, cwd, envFile, env } = definition;
  const debugpyPath = debugpyPathOf(definition);
  return [
    command,
    args,
    cwd ?? null,
    envFile ?? null,
    Object.keys(env).sort(),
    loadersOf(env),
    ...placesOf(env),
    ...(debugpyPath === undefined ? [] : [debugpyPath]),
  ];
}

/**
 * Whether a value that was entered for one definition would reach the same program or URL with the other definition.
 */
export function isSameReceiver(one: ServerDefinition, other: ServerDefinition): boolean {
  return (
    (one.type === 'stdio') === (other.type === 'stdio') &&
    canonicalJson(receiverOf(one)) === canonicalJson(receiverOf(other))
  );
}

/**
 * The values of the variables that determine the receiver. For a server from the user settings, only the settings that
 * the workspace sets are included. Asks no questions; variables that would need one are omitted.
 */
export async function receiverValues(
  definition: ServerDefinition,
  isOfUser: boolean,
  context: StartContext,
  isSetByWorkspace: (key: string) => boolean,
): Promise<ReceiverValues> {
  const values = new Map(await workspaceValues(definition, context, isSetByWorkspace));
  if (isOfUser) return new Map([...values].filter(([variable]) => variable.startsWith('config:')));
  for (const variable of collectVariables(receiverPart(definition))) {
    if (values.has(variable) || variable.startsWith('input:')) continue;
    const value = await valueOfVariable(variable, context);
    if (value !== undefined) values.set(variable, value);
  }
  return values;
}

/** The definition reduced to the parts that determine the receiver, without the values that are sent to it. */
function receiverPart(definition: ServerDefinition): ServerDefinition {
  if (definition.type === 'builtin') return definition;
  if (definition.type === 'stdio')
    return { ...definition, env: { ...loadersOf(definition.env), ...placesOf(definition.env)[0] } };
  const [oauth] = signInPlaces(definition.oauth);
  return { ...definition, oauth, headers: {} };
}

/** The addresses to which a sign-in sends secrets and codes; empty if the URL of the server alone determines them. */
export function signInPlaces(oauth: OAuthDefinition | false | undefined): OAuthDefinition[] {
  if (!oauth) return [];
  const { issuer, provider, redirectUri, trustedHosts } = oauth;
  const places: OAuthDefinition = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(provider === undefined
      ? {}
      : { provider: { issuer: provider.issuer, tokenEndpoint: provider.tokenEndpoint, clientId: provider.clientId } }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(trustedHosts === undefined ? {} : { trustedHosts }),
  };
  return Object.keys(places).length === 0 ? [] : [places];
}

/** The environment variables that a typed value is part of, or that can lead it to another place; empty without any. */
function placesOf(env: Readonly<Record<string, string | null>>): Record<string, string>[] {
  const places = Object.entries(env).flatMap(([name, value]) =>
    value !== null && !isLoaderVariable(name) && (variablesIn(value, 'input:').size > 0 || canBePlace(name, value))
      ? [[name, value] as const]
      : [],
  );
  return places.length === 0 ? [] : [Object.fromEntries(places)];
}

function loadersOf(env: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isLoaderVariable(name)));
}
