/**
 * The language model of a chat, and the chat that shows its answer. The code for VS Code and the tests implement both.
 */
import type { JsonSchema } from '../protocol/mcp.js';

export interface ModelText {
  kind: 'text';
  text: string;
}

export interface ModelImage {
  kind: 'image';
  bytes: Uint8Array;
  mimeType: string;
}

/** A call that the model requests. */
export interface ModelCall {
  kind: 'call';
  id: string;
  /** The name of the tool, as it was offered to the model. */
  name: string;
  /** The arguments. The model may send anything. */
  input: unknown;
}

/** The answer to a call, for the model. */
export interface ModelResult {
  kind: 'result';
  id: string;
  parts: readonly (ModelText | ModelImage)[];
}

export interface ModelMessage {
  role: 'user' | 'assistant';
  parts: readonly (ModelText | ModelImage | ModelCall | ModelResult)[];
}

/** A tool as the model sees it. */
export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

export interface ChatModel {
  /** Maximum size of a request, in tokens. */
  readonly maxInputTokens: number;
  /** The answer of the model, in the parts in which it arrives. Rejects with the error of the model. */
  send(
    messages: readonly ModelMessage[],
    tools: readonly OfferedTool[],
    signal: AbortSignal,
  ): AsyncIterable<ModelText | ModelCall>;
  /** The size of a text in tokens of this model. */
  countTokens(text: string): Promise<number>;
}

/** The chat that the user reads. */
export interface ChatAnswer {
  /** Appends Markdown. Texts of servers in it must be escaped. */
  markdown(text: string): void;
  /** Appends a link that opens a run. @param id the ID of the run in *Runs*. */
  linkToRun(id: string): void;
  /** Appends a link to a question that waits for the user. @param id the ID of the waiting request. */
  linkToQuestion(id: string): void;
}
