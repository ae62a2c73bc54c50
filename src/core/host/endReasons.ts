/**
 * Why this side ended a server, as an error for the calls that it concerns. None of them is a failure of the server.
 */
import { HostError } from '../base/hostError.js';

/** What the user did. */
export type EndReason = 'stopped' | 'restarted' | 'disabled' | 'removed';

const what: Record<EndReason, string> = {
  stopped: 'The server was stopped',
  restarted: 'The server was restarted',
  disabled: 'The server was disabled',
  removed: 'The server was removed from the configuration',
};

/** Requests that were sent and not answered yet reject with this. */
export function endedBy(reason: EndReason): HostError {
  return new HostError('closed', `${what[reason]} before it answered.`, {
    data: { by: 'host', reason, ended: reason, wasSent: true },
  });
}

/**
 * A call that was allowed, and whose server the user ended before it was sent, rejects with this: it must not start
 * the server again.
 */
export function notSent(reason: EndReason): HostError {
  return new HostError('closed', `${what[reason]} before the call was sent.`, {
    data: { by: 'host', reason, ended: reason, wasSent: false },
  });
}
