import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { freeName } from '../../core/base/freeName.js';
import { whenFound } from '../../core/base/whenFound.js';
import { describePortable, hashAsRead } from '../../core/interchange/portableDefinition.js';
import type { ScratchServer } from '../../core/registry/scratchServers.js';
import { scratchSource } from '../../core/registry/scratchServers.js';
import type { ExtensionServices } from './services.js';

/**
 * Adds a scratch server under a free name. Starts nothing.
 * @param isRead whether the user saw everything that the server runs and sends, and pressed a button to start it. Then
 *   no further question is asked, unless the definition has warnings that the user did not see, or inputs of a type
 *   other than `promptString`. Default: the start asks.
 */
export async function addScratch(
  { host, scratch }: Pick<ExtensionServices, 'host' | 'scratch'>,
  wanted: string,
  server: ScratchServer,
  isRead: (warnings: readonly string[]) => boolean = () => false,
): Promise<{ id: string; name: string; source: string }> {
  const { fields, inputs } = server;
  const taken = new Set([...scratch.names, ...host.servers.list().map(({ id }) => id)]);
  const name = freeName(wanted, taken);
  scratch.set(name, server);
  const source = scratchSource(name);
  const hash = hashAsRead(name, fields, inputs, source);
  const view = await whenFound(host.servers.onDidChange, () =>
    host.servers.list().find(({ entry }) => entry.source.id === source.id),
  );
  if (!view) throw new HostError('internal', `The scratch server "${visibleLine(name)}" did not appear.`);
  const description = describePortable({ name, fields }, inputs, source);
  const isShown = !('problem' in description) && isRead(description.warnings);
  if (isShown && hash !== undefined) await host.storedValues.approveShown(view.id, hash);
  return { id: view.id, name, source: source.id };
}
