import { logEntry } from '../../../core/base/hostileText.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { CheckedServer } from '../../../core/testing/checks/checkedServer.js';
import type { ExtensionServices } from '../../ui/services.js';
import { testPorts } from '../../ui/testPorts.js';
import type { CheckReport } from './checkTests.js';

export type CheckServices = Pick<
  ExtensionServices,
  | 'client'
  | 'consent'
  | 'extension'
  | 'funnel'
  | 'host'
  | 'log'
  | 'ports'
  | 'questionTexts'
  | 'requests'
  | 'schemas'
  | 'switches'
  | 'tests'
>;

/** Starts another instance of a server, uses it, and stops it. Its log is part of the output of the check. */
export async function withCheckedServer<T>(
  deck: CheckServices,
  { entry }: ServerView,
  { line, signal }: CheckReport,
  use: (server: CheckedServer) => Promise<T>,
): Promise<T> {
  const { openCheckedServer } = await import('../../../core/testing/onDemand.js');
  const output = (server: string, text: string) => line(logEntry(`[${server}] ${text}`));
  const ports = testPorts(deck, { isOwnServer: false, isTraced: false, output });
  const { switches, schemas } = deck;
  const server = await openCheckedServer(entry, ports, { checkOutput: schemas.checkOutput, switches }, signal);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}
