import { tokensOf } from '../base/jsonTokens.js';
import type { Implementation, ServerCapabilities } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';

/** Maximum length of instructions, in UTF-16 code units. Longer ones end with a note about the rest. */
export const maxInstructions = 20_000;

/** The instructions of a server, cut to the limit with a note; empty if there are none. */
export function readInstructions(given: unknown): { instructions?: string } {
  if (typeof given !== 'string' || given === '') return {};
  return {
    instructions:
      given.length > maxInstructions
        ? `${given.slice(0, maxInstructions)}… (${given.length - maxInstructions} more characters)`
        : given,
  };
}

/** Maximum length of the kept answer, in UTF-16 code units. */
export const maxAnswer = 100_000;

/**
 * The answer of a server to the handshake, for display only. It may repeat secrets, and its hidden characters are not
 * escaped; `serverOverview` masks the secrets before it escapes the characters.
 */
export interface HandshakeAnswer {
  method: 'initialize' | 'server/discover';
  /** Indented JSON, cut to 100,000 characters. */
  json: string;
  isWhole: boolean;
}

/** Keeps the answer of the handshake as text, limited in length, so that a large answer does not stay in memory. */
export function readAnswer(method: HandshakeAnswer['method'], result: unknown): HandshakeAnswer {
  let text = '';
  for (const token of tokensOf(result)) {
    text += token;
    if (text.length > maxAnswer) break;
  }
  return {
    method,
    json: text.slice(0, maxAnswer),
    isWhole: text.length <= maxAnswer,
  };
}

/** The identity that a server stated in the handshake. It is not verified, so it is for display only. */
export interface ServerIdentity {
  era: Era;
  revision: Revision;
  info: Implementation;
  capabilities: ServerCapabilities;
  /** Instructions of the server for its users, limited in length; untrusted text. */
  instructions?: string;
  /** The answer that the other fields were read from. */
  answer?: HandshakeAnswer;
  /** The kind of transport: `stdio`, `http`, `sse`, `ws`, `socket` or `memory`. */
  transportKind: string;
}
