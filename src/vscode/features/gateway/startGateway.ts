import type { ExtensionServices } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';

/** Starts the gateway, and notes who started it in the audit log. The caller has already asked the user. */
export async function startGateway(
  { gateway, consent }: Pick<ExtensionServices, 'consent' | 'gateway'>,
  invocation: Invocation,
): Promise<{ url: string }> {
  const { url } = await gateway.start();
  consent.audit.note({ event: 'gateway', outcome: 'started', caller: auditCallerOf(invocation) });
  return { url };
}
