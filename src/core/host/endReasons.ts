/** The errors for calls that end because the host stopped their server. They do not count as failures of the server. */
import type { EndReason } from '../base/failureKinds.js';
import { HostError } from '../base/hostError.js';

const what: Record<EndReason, string> = {
  stopped: 'The server was stopped',
  restarted: 'The server was restarted',
  disabled: 'The server was disabled',
  removed: 'The server was removed from the configuration',
  blocked: 'A policy blocked the server',
};

/** The error for requests that were sent but not answered yet. */
export function endedBy(reason: EndReason): HostError {
  return new HostError('closed', `${what[reason]} before it answered.`, {
    data: { by: 'host', why: reason, wasSent: true },
  });
}

/**
 * The error for an approved call that was not sent because its server was stopped first. Such a call must not start the
 * server again.
 */
export function notSent(reason: EndReason): HostError {
  return new HostError('closed', `${what[reason]} before the call was sent.`, {
    data: { by: 'host', why: reason, wasSent: false },
  });
}
