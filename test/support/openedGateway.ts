import type { TestContext } from 'node:test';
import { nullLog } from '../../src/core/base/log.js';
import { Gateway } from '../../src/core/gateway/gateway.js';
import type { OpenedGateway, OpenGatewayOptions } from '../../src/core/gateway/openGateway.js';
import { openGateway } from '../../src/core/gateway/openGateway.js';
import type { McpHost } from '../../src/core/host/mcpHost.js';
import { HttpFront } from '../../src/core/serving/httpFront.js';
import { headlessHost } from './headlessHost.js';

const basics = { info: { name: 'gateway', version: '1' }, log: nullLog, validate: () => [] };

/**
 * The gateway of a window, in front of a host that is open; a test with its own host passes it. Both are closed at the
 * end of the test. Defaults: the token is "secret", and every client is approved.
 */
export async function openedGateway(
  t: TestContext,
  {
    servers = {},
    host: own,
    ...options
  }: Partial<OpenGatewayOptions> & { servers?: Record<string, unknown>; host?: McpHost },
): Promise<{ host: McpHost; gateway: OpenedGateway }> {
  const host = own ?? headlessHost({ servers }).host;
  if (!own) await host.open();
  const gateway = await openGateway({
    host,
    ...basics,
    token: 'secret',
    approvals: { isApproved: () => true, ask: () => Promise.resolve(true) },
    ...options,
  });
  t.after(async () => {
    await gateway.close();
    await host.close();
  });
  return { host, gateway };
}

/** The URL of a gateway that asks for no token and no approval, in front of servers that have started. */
export async function openGatewayUrl(t: TestContext, servers: Record<string, unknown>): Promise<string> {
  const { host } = headlessHost({ servers });
  await host.open();
  const gateway = new Gateway({ host, ...basics });
  await gateway.startServers();
  const front = new HttpFront({ server: gateway.server });
  t.after(async () => {
    await front.close();
    gateway.dispose();
    await host.close();
  });
  return (await front.listen()).url;
}
