import { HostError, messageOf, UserError } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import type { MockDefinition } from '../../core/config/serverDefinition.js';
import { MemoryTransport } from '../../core/transport/memoryTransport.js';
import type { Transport } from '../../core/transport/transport.js';

/**
 * Reads the recording of a mock, for `HostPorts.openMock`. Each connection gets a mock of its own, which begins with
 * the first recorded answers. Closing the connection disposes the mock.
 */
export async function openMock({ file, ...options }: MockDefinition, log: Log): Promise<() => Transport> {
  const { createMock, readRecording } = await import('../../core/testing/onDemand.js');
  const recording = await readRecording(file).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    throw new HostError('bad-configuration', error.message);
  });
  return () => {
    const [client, own] = MemoryTransport.pair();
    const mock = createMock(recording, { ...options, log });
    mock
      .connect(own, () => mock.dispose())
      .catch((error: unknown) => {
        log.write('error', `The mock could not be opened: ${messageOf(error)}`);
        void client.close();
      });
    return client;
  };
}
