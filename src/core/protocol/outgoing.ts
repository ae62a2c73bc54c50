/** One serialized message on its way out, with what a transport may need to know of it without parsing it again. */
export interface Outgoing {
  /** The JSON text: one line, no raw newline inside. */
  text: string;
  /** Present on requests: where the answer belongs, and what `cancel` names. */
  id?: number;
  /** The method of a request or notification; absent on responses. */
  method?: string;
  /** Extra HTTP headers of this message (2026-07-28: Mcp-Method, Mcp-Name, Mcp-Param-*); other transports ignore them. */
  headers?: Record<string, string>;
  /** Called at most once when this message could not be delivered or its answer can no longer arrive. Never after the answer was. */
  fail?: (error: Error) => void;
}
