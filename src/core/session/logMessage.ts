import type { LogMessage, LoggingLevel } from '../protocol/mcp.js';
import { loggingLevels } from '../protocol/mcp.js';
import type { Params } from '../protocol/jsonRpc.js';

/** Reads `notifications/message`; undefined if its level is missing or unusable. An unknown level becomes `info`. */
export function readLogMessage(params: Params): LogMessage | undefined {
  const { level, logger, data } = params;
  if (typeof level !== 'string') return undefined;
  const known = (loggingLevels as readonly string[]).includes(level) ? (level as LoggingLevel) : 'info';
  return typeof logger === 'string' ? { level: known, logger, data } : { level: known, data };
}
