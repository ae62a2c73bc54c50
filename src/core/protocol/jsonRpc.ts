/** JSON-RPC 2.0 as MCP uses it: message types, error codes, and the class for errors that are sent or received. */

export type RequestId = string | number;
/** The parameters of a request or notification. */
export type Params = Record<string, unknown>;
/** The result of a response. */
export type Result = Record<string, unknown>;

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
 * Error codes with a defined meaning (JSON-RPC 2.0 section 5.1; MCP 2026-07-28 basic, "Error codes"; older revisions
 * where noted).
 */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Used up to 2025-11-25; later revisions use invalidParams. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
  /** 2025-11-25 only: the user must visit a URL before the call. */
  urlElicitationRequired: -32042,
  /** Sent by clients when the user declined sampling. */
  userRejected: -1,
} as const;

/** An error that was received from the peer, or that is sent to it. */
export class ProtocolError extends Error {
  /** The configured name of the server that sent the error; set by the host. */
  server?: string;
  /** The refused call had no arguments because its tool takes none; set by the host. */
  takesNone?: true;

  constructor(
    /** JSON-RPC error code; a server can send any number. */
    readonly code: number,
    message: string,
    /** The data that the peer attached; untrusted. */
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'ProtocolError';
  }
}

/**
 * One serialized message to send, with the data that a transport needs, so that the transport does not have to parse
 * the text again.
 */
export interface Outgoing {
  /** The JSON text: one line without newlines. */
  text: string;
  /** Present on requests: the ID that the response repeats and that `cancel` takes. */
  id?: number;
  /** The method of a request or notification; absent on responses. */
  method?: string;
  /**
   * Additional HTTP headers of this message (2026-07-28: Mcp-Method, Mcp-Name, Mcp-Param-*), with names in lower case.
   * Transports other than HTTP ignore them.
   */
  headers?: Record<string, string>;
  /**
   * Called at most once, if this message could not be delivered or its response can no longer arrive. Never called
   * after the response.
   */
  fail?: (error: Error) => void;
}
