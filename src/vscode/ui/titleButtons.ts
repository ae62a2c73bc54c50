import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import type { NodeTarget } from '../../core/present/tree/treeNode.js';
import type { CommandId } from '../manifest.js';

/** Tokens beyond this number end, the oldest first: each belongs to a document that was opened, and few are open. */
const maxTokens = 500;

/** What a token proves: that a button of a document which we opened was pressed, for these commands, on this item. */
interface Grant {
  commands: ReadonlySet<CommandId>;
  target: NodeTarget;
}

/**
 * The buttons in the titles of our own documents. VS Code passes the address of the document to their commands, and makes an
 * address from plain JSON just the same, so an address proves nothing. One with a token does: the token is random, stands in
 * the query of a document that this window opened, and is good for one item, the named commands, and one use.
 */
export class TitleButtons {
  private readonly grants = new Map<string, Grant>();

  /** A new token for the query of a document; see `queryWith`. */
  issue(commands: readonly CommandId[], target: NodeTarget): string {
    const token = randomBytes(16).toString('hex');
    this.grants.set(token, { commands: new Set(commands), target });
    const [oldest] = this.grants.keys();
    if (this.grants.size > maxTokens && oldest !== undefined) this.grants.delete(oldest);
    return token;
  }

  /** The document is gone, or what it shows is. */
  withdraw(token: string | undefined): void {
    if (token !== undefined) this.grants.delete(token);
  }

  /** Takes the token of the address for this command; undefined where it has none that is good for it. */
  claim(uri: vscode.Uri, command: CommandId): { target: NodeTarget; giveBack(): void } | undefined {
    const token = tokenIn(uri);
    const grant = token === undefined ? undefined : this.grants.get(token);
    if (token === undefined || grant?.commands.has(command) !== true) return undefined;
    this.grants.delete(token);
    return { target: grant.target, giveBack: () => void this.grants.set(token, grant) };
  }
}

/** The query of a document's address: what the document is about, and its token. */
export function queryWith(about: object, token: string): string {
  return JSON.stringify({ ...about, token });
}

function tokenIn({ query }: vscode.Uri): string | undefined {
  try {
    const about = JSON.parse(query) as { token?: unknown } | null;
    return typeof about?.token === 'string' ? about.token : undefined;
  } catch {
    return undefined;
  }
}
