import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { appsExtension, appsSettings } from '../../../src/core/apps/toolApp.js';
import type { HostPorts } from '../../../src/core/host/ports.js';
import { clientCapabilities } from '../../../src/core/session/serverRequests.js';
import { headlessHost } from '../../support/headlessHost.js';

const extensions = { [appsExtension]: appsSettings };

/** The capabilities that a server received, read from its answer. */
async function receivedCapabilities(ports: Partial<HostPorts>): Promise<unknown> {
  const { host } = headlessHost({
    servers: { apps: { command: process.execPath, args: [path.resolve('test/fixtures/servers/apps/server.mjs')] } },
    ports,
  });
  try {
    await host.open();
    const { structuredContent } = await host.calls.runTool(
      { server: 'apps', tool: 'weather', arguments: { city: 'Bern' } },
      { caller: 'user' },
    );
    return (structuredContent as { declared?: unknown }).declared;
  } finally {
    await host.close();
  }
}

describe('the capability for apps', () => {
  test('a host that shows apps declares it', async () => {
    assert.equal(await receivedCapabilities({ extensions }), 'text/html;profile=mcp-app');
  });

  test('a host without a window does not', async () => {
    assert.equal(await receivedCapabilities({}), undefined);
  });

  test('both eras can declare it', () => {
    const declared = { mimeTypes: ['text/html;profile=mcp-app'] };
    for (const revision of ['2025-11-25', '2026-07-28'] as const)
      assert.deepEqual(clientCapabilities({ extensions }, revision).extensions?.[appsExtension], declared);
    assert.equal(clientCapabilities({}, '2025-11-25').extensions, undefined);
  });
});
