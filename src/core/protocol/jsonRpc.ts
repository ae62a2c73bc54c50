/** JSON-RPC 2.0 as MCP uses it: shapes, error codes, and the error that crosses the wire. */

export type RequestId = string | number;

interface JsonRpcRequest {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: Record<string, unknown>;
}

export interface JsonRpcNotification {
  jsonrpc: '2.0';
  method: string;
  params?: Record<string, unknown>;
}

interface JsonRpcResult {
  jsonrpc: '2.0';
  id: RequestId;
  result: Record<string, unknown>;
}

export interface JsonRpcErrorResponse {
  jsonrpc: '2.0';
  id: RequestId | null;
  error: { code: number; message: string; data?: unknown };
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcErrorResponse;

/**
 * Codes with a meaning of their own (JSON-RPC 2.0 section 5.1; MCP 2026-07-28 basic, "Error codes"; older revisions
 * where noted).
 */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Up to 2025-11-25; later revisions answer invalidParams. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
  /** 2025-11-25 only: the call needs the user to visit a URL first. */
  urlElicitationRequired: -32042,
  /** What clients answer when the user said no to sampling. */
  userRejected: -1,
} as const;

/** An error that came from the peer, or that goes to it. */
export class ProtocolError extends Error {
  /** Our name for the server that sent it; noted by the host. */
  server?: string;

  constructor(
    /** JSON-RPC code; any number a server may send. */
    readonly code: number,
    message: string,
    /** Whatever the peer attached; unknown and hostile. */
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'ProtocolError';
  }
}

/** One serialized message on its way out, with what a transport may need to know of it without parsing it again. */
export interface Outgoing {
  /** The JSON text: one line, no raw newline inside. */
  text: string;
  /** Present on requests: where the answer belongs, and what `cancel` names. */
  id?: number;
  /** The method of a request or notification; absent on responses. */
  method?: string;
  /**
   * Extra HTTP headers of this message (2026-07-28: Mcp-Method, Mcp-Name, Mcp-Param-*); other transports ignore them.
   */
  headers?: Record<string, string>;
  /**
   * Called at most once when this message could not be delivered or its answer can no longer arrive. Never after the
   * answer was.
   */
  fail?: (error: Error) => void;
}
