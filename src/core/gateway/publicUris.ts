/**
 * The URIs of resources of all servers behind the gateway. A URI that can belong to only one server stays unchanged;
 * any other URI is prefixed with the name of its server. The server of a URI that a client has seen is therefore known
 * or part of the URI. URIs from results are remembered up to a limit.
 *
 * The lists of the servers decide which server a URI belongs to. A URI in a result counts only if no list contains it,
 * so that no server can take over the URIs of another one.
 */
import { TemplateOwners } from './templateOwners.js';

/** Maximum number of URIs in results that are remembered for each server; the oldest ones are forgotten. */
const maxMentioned = 2_000;

/** Maximum length of a remembered URI, in UTF-16 code units. A longer one is prefixed with the name of its server. */
const maxMentionedLength = 2_048;

/** Schemes that do not identify a server, because many servers use them. */
const commonSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'file:', 'data:', 'urn:', 'mailto:', 'ftp:']);

const marked = /^(?:mcp-deck:\/\/|ui:\/\/mcp-deck\/)([^/]+)\/(.*)$/s;

/** A resource of a server, by the URI that the server uses. */
export interface OwnedUri {
  server: string;
  uri: string;
}

/** The resources and templates that a server lists. */
export interface ListedUris {
  server: string;
  uris: readonly string[];
  templates: readonly string[];
}

export class PublicUris {
  private owners = new Map<string, string>();
  private templates = new TemplateOwners();
  /** The templates that clients have seen unchanged, with their server. */
  private templateOwners = new Map<string, string>();
  /** By scheme: the only server that lists URIs with this scheme; undefined if several servers do. */
  private schemes = new Map<string, string | undefined>();
  /** The URIs that results contain, by server. */
  private readonly mentioned = new Map<string, Set<string>>();

  /**
   * Replaces the lists in steps. The previous lists are valid until the last step. A URI that clients see unchanged
   * stays unchanged as long as its server lists it.
   */
  *settingLists(lists: readonly ListedUris[]): Generator<void, void> {
    const { templates, templateOwners } = yield* this.withTemplates(lists);
    const owners = new Map<string, string>();
    const schemes: PublicUris['schemes'] = new Map();
    for (const { server, uris } of lists) {
      for (const uri of uris) {
        noteScheme(schemes, server, uri);
        if (this.owners.get(uri) === server) owners.set(uri, server);
        yield;
      }
    }
    for (const { server, uris } of lists) {
      for (const uri of uris) {
        yield;
        if (marked.test(uri) || owners.has(uri)) continue;
        const ofTemplate = templates.couldOwn(uri);
        if (ofTemplate === undefined || ofTemplate === server) owners.set(uri, server);
      }
    }
    this.owners = owners;
    this.schemes = schemes;
    this.templates = templates;
    this.templateOwners = templateOwners;
  }

  /** The URI of a listed resource for clients. */
  ofResource({ server, uri }: OwnedUri): string {
    return this.owners.get(uri) === server ? uri : withServer(server, uri);
  }

  /** The template of a server for clients. */
  ofTemplate(server: string, template: string): string {
    return this.templateOwners.get(template) === server ? template : withServer(server, template);
  }

  /**
   * The public form of a URI in a result of a server: unchanged if the URI cannot belong to another server, and a list
   * contains it or it is short enough to be remembered.
   */
  ofResult(server: string, uri: string): string {
    if (marked.test(uri)) return withServer(server, uri);
    const owner = this.find(uri)?.server;
    if (owner !== undefined && owner !== server) return withServer(server, uri);
    if (uri.length > maxMentionedLength) return this.owners.get(uri) === server ? uri : withServer(server, uri);
    const ofServer = this.mentioned.get(server) ?? new Set();
    this.mentioned.set(server, ofServer);
    ofServer.delete(uri);
    ofServer.add(uri);
    const [oldest] = ofServer;
    if (ofServer.size > maxMentioned && oldest !== undefined) ofServer.delete(oldest);
    return uri;
  }

  /** The server and its own URI for a URI that a client sent; undefined if the server cannot be determined. */
  find(publicUri: string): OwnedUri | undefined {
    const match = marked.exec(publicUri);
    if (match?.[1] !== undefined) {
      const rest = match[2] ?? '';
      return { server: decoded(match[1]), uri: publicUri.startsWith('ui:') ? `ui://${rest}` : rest };
    }
    const server =
      this.owners.get(publicUri) ??
      this.templates.ownerOf(publicUri) ??
      this.mentionedBy(publicUri) ??
      this.schemes.get(schemeOf(publicUri));
    return server === undefined ? undefined : { server, uri: publicUri };
  }

  private *withTemplates(
    lists: readonly ListedUris[],
  ): Generator<void, { templates: TemplateOwners; templateOwners: Map<string, string> }> {
    const templates = new TemplateOwners();
    const templateOwners = new Map<string, string>();
    for (const isKnown of [true, false])
      for (const { server, templates: listed } of lists)
        for (const template of listed) {
          yield;
          if ((this.templateOwners.get(template) === server) === isKnown && !marked.test(template))
            if (templates.claim(server, template)) templateOwners.set(template, server);
        }
    return { templates, templateOwners };
  }

  private mentionedBy(uri: string): string | undefined {
    for (const [server, uris] of this.mentioned) if (uris.has(uri)) return server;
    return undefined;
  }
}

function noteScheme(schemes: Map<string, string | undefined>, server: string, uri: string): void {
  const scheme = schemeOf(uri);
  if (scheme === '' || commonSchemes.has(scheme)) return;
  const other = schemes.has(scheme) && schemes.get(scheme) !== server;
  schemes.set(scheme, other ? undefined : server);
}

function schemeOf(uri: string): string {
  return /^[a-z][a-z0-9+.-]{0,100}:/i.exec(uri)?.[0].toLowerCase() ?? '';
}

function withServer(server: string, uri: string): string {
  const name = encodeURIComponent(server);
  return uri.startsWith('ui://') ? `ui://mcp-deck/${name}/${uri.slice(5)}` : `mcp-deck://${name}/${uri}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
