import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import type { NodeTarget } from '../../core/present/tree/treeNode.js';
import type { CommandId } from '../manifest.js';

/**
 * Maximum number of tokens. The oldest ones expire. Each token is for one document or notification that was opened, and
 * few of them are open at a time.
 */
const maxTokens = 500;

/** What a token permits: the commands that its title button can run, and the item that they apply to. */
interface Grant {
  commands: ReadonlySet<CommandId>;
  target: NodeTarget;
}

/**
 * The buttons in the title bars of MCP Deck's documents. VS Code passes the document URI to the command of a button.
 * But VS Code also creates such a URI from plain JSON, so a URI alone does not prove that the user pressed the button.
 * A URI with a token proves it: the token is random, is part of the query of a document that this window opened, and is
 * valid for one item, the given commands, and one use. The links of notifications about requests use such URIs too.
 */
export class TitleButtons {
  private readonly grants = new Map<string, Grant>();

  /** Creates a token for the query of a document URI. See `queryWith`. */
  issue(commands: readonly CommandId[], target: NodeTarget): string {
    const token = randomBytes(16).toString('hex');
    this.grants.set(token, { commands: new Set(commands), target });
    const [oldest] = this.grants.keys();
    if (this.grants.size > maxTokens && oldest !== undefined) this.grants.delete(oldest);
    return token;
  }

  /**
   * Revokes the token. Called when the notification with its button has ended, or when the version of the tool that its
   * button accepts was accepted or replaced.
   */
  withdraw(token: string | undefined): void {
    if (token !== undefined) this.grants.delete(token);
  }

  /**
   * Uses up the token in the URI. Returns undefined if the URI has no valid token for this command. `giveBack` makes
   * the token valid again.
   */
  claim(uri: vscode.Uri, command: CommandId): { target: NodeTarget; giveBack(): void } | undefined {
    const token = tokenIn(uri);
    const grant = token === undefined ? undefined : this.grants.get(token);
    if (token === undefined || grant?.commands.has(command) !== true) return undefined;
    this.grants.delete(token);
    return { target: grant.target, giveBack: () => void this.grants.set(token, grant) };
  }
}

/** The query of a document URI: the subject of the document and its token. */
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
