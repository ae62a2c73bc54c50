/**
 * Reads the metadata that every request of 2026-07-28 contains in `_meta` (specification 2026-07-28, basic, "_meta").
 * This is done once per request.
 */
import { isObject } from '../base/guards.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ClientCapabilities, Implementation, LoggingLevel } from '../protocol/mcp.js';
import { loggingLevels, metaKeys } from '../protocol/mcp.js';

/** Methods that exist only in the stateless era. */
const modernMethods: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

export interface Envelope {
  /** The version as sent; the caller checks whether the server supports it. */
  version: string;
  capabilities: ClientCapabilities;
  client: Implementation | undefined;
  /** The minimum level of log messages; undefined if none may be sent. */
  logLevel: LoggingLevel | undefined;
}

/** True for a message of the stateless era, whether or not it is well-formed. */
export function isModernMessage(method: string, params: Record<string, unknown>): boolean {
  const meta = params['_meta'];
  return (
    modernMethods.has(method) ||
    (isObject(meta) &&
      (meta[metaKeys.protocolVersion] !== undefined || meta[metaKeys.clientCapabilities] !== undefined))
  );
}

/** Reads the envelope of a request, or returns the error of the rule that it violates. */
export function readEnvelope(params: Record<string, unknown>): Envelope | ProtocolError {
  const meta = params['_meta'];
  if (!isObject(meta)) return malformed('has no _meta');
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== 'string') return malformed(`needs ${metaKeys.protocolVersion}, a string, in its _meta`);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) return malformed(`needs ${metaKeys.clientCapabilities}, an object, in its _meta`);
  const logLevel = meta[metaKeys.logLevel];
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) return malformed(`has an unknown ${metaKeys.logLevel}`);
  return { version, capabilities, client: readClient(meta[metaKeys.clientInfo]), logLevel };
}

/** Maximum length of a name, version, or title of a client, in UTF-16 code units. Longer ones are cut. */
const maxClientText = 1_000;

/**
 * The name, version, and title that a client states about itself, if they are valid. They are kept as long as the
 * client is connected, so they are copied: a large description would stay in memory.
 */
export function readClient(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value['name'] !== 'string' || typeof value['version'] !== 'string') return undefined;
  const { name, version, title } = value;
  return {
    name: bounded(name),
    version: bounded(version),
    ...(typeof title === 'string' ? { title: bounded(title) } : {}),
  };
}

/** The beginning of a text, copied so that the whole text does not stay in memory. */
function bounded(text: string): string {
  return text.length <= maxClientText ? text : Buffer.from(text.slice(0, maxClientText)).toString();
}

/** Whether a value is one of the syslog severities. */
export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (loggingLevels as readonly unknown[]).includes(value);
}

function malformed(problem: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, `The request ${problem}.`);
}
