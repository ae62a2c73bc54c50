/** Shared by the tests of the peer: a peer whose sent messages and log lines are kept. */
import type { PeerHandler, PeerOptions } from '../../../src/core/protocol/jsonRpcPeer.js';
import { JsonRpcPeer } from '../../../src/core/protocol/jsonRpcPeer.js';
import type { Outgoing } from '../../../src/core/protocol/jsonRpc.js';
import { ManualClock } from '../../support/manualClock.js';

export function makePeer(overrides: Partial<PeerHandler> = {}, options: PeerOptions = {}) {
  const sent: any[] = [];
  const outgoing: Outgoing[] = [];
  const warnings: string[] = [];
  const abandoned: number[] = [];
  const clock = new ManualClock();
  const peer = new JsonRpcPeer(
    {
      send: (message) => {
        outgoing.push(message);
        sent.push(JSON.parse(message.text));
      },
      abandon: (id) => abandoned.push(id),
      onRequest: () => Promise.resolve({}),
      onNotification: () => undefined,
      onWarning: (line) => warnings.push(line),
      ...overrides,
    },
    { clock, firstId: 1, ...options },
  );
  return { peer, sent, outgoing, warnings, abandoned, clock };
}

export const answer = (id: unknown, result: unknown = {}) => ({ jsonrpc: '2.0', id, result });
