/**
 * The addresses of resources of all servers behind one door. An address is kept where one server has it. Where two
 * servers have the same address, the server that had it first keeps it, and the address of the other one gets the name
 * of its server in front. The change can be undone from the address alone.
 */

/** Maximum number of addresses with a known server; the oldest ones are forgotten. */
const maxOwned = 50_000;

const marked = /^(?:mcp-deck:\/\/|ui:\/\/mcp-deck\/)([^/]+)\/(.*)$/s;

/** A resource of a server, by the address that the server uses. */
export interface OwnedAddress {
  server: string;
  uri: string;
}

export class PublicAddresses {
  private readonly owners = new Map<string, string>();

  /** The address for clients. The first server with an address keeps it unchanged. */
  publish(server: string, uri: string): string {
    const owner = this.owners.get(uri);
    // An address that looks like one of ours is always marked, so that it cannot stand for another server.
    if (!marked.test(uri)) {
      if (owner === server) return uri;
      if (owner === undefined) {
        this.own(uri, server);
        return uri;
      }
    }
    return withServer(server, uri);
  }

  /** The server and its address for an address of a client; undefined if no server is known to have it. */
  find(publicUri: string): OwnedAddress | undefined {
    const match = marked.exec(publicUri);
    if (match?.[1] !== undefined) {
      const rest = match[2] ?? '';
      return { server: decoded(match[1]), uri: publicUri.startsWith('ui:') ? `ui://${rest}` : rest };
    }
    const server = this.owners.get(publicUri);
    return server === undefined ? undefined : { server, uri: publicUri };
  }

  private own(uri: string, server: string): void {
    this.owners.set(uri, server);
    if (this.owners.size <= maxOwned) return;
    const [oldest] = this.owners.keys();
    if (oldest !== undefined) this.owners.delete(oldest);
  }
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
