import { DisposableStore } from '../../../core/base/disposable.js';
import { commandIds } from '../../manifest.js';
import type { Feature } from '../../ui/services.js';
import { compareWithRecording } from './compareWithRecording.js';
import { recordServer, stopRecording } from './recordServer.js';
import { RunningRecordings } from './runningRecordings.js';
import { startMock } from './startMock.js';

/** Recordings of servers: making them, serving them as mocks, and comparing them with a server. */
export const recordingsFeature: Feature = {
  name: 'recordings',
  register(deck) {
    const { commands, host } = deck;
    const store = new DisposableStore();
    const recordings = store.add(new RunningRecordings(host.traces));
    store.add(commands.defineCommand(commandIds.recordServer, (one) => recordServer(deck, recordings, one)));
    store.add(commands.defineCommand(commandIds.stopRecording, (one) => stopRecording(deck, recordings, one)));
    store.add(commands.defineCommand(commandIds.startMock, (one) => startMock(deck, one)));
    store.add(commands.defineCommand(commandIds.compareRecording, (one) => compareWithRecording(deck, one)));
    // The messages of a server that was removed are lost.
    store.add(
      host.servers.onDidChange(({ server }) => {
        if (server !== undefined && !host.servers.get(server)) recordings.stop(server);
      }),
    );
    return store;
  },
};
