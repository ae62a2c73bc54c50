import type { HostApi } from '../catalog/hostApi.js';
import type { Localize } from '../present/text/localize.js';
import type { CheckId } from './check.js';

export interface DoctorOptions {
  signal: AbortSignal;
  t: Localize;
  /** How long the handshake may take, milliseconds. Default 30,000. */
  handshakeMs?: number;
  /** How long one step on the network may take, milliseconds. Default 10,000. */
  stepMs?: number;
  /** Told before each check that takes its time. */
  onStep?: (id: CheckId) => void;
}

/** What a diagnosis asks of the host. */
export type DoctorHost = Pick<HostApi, 'server' | 'startServer' | 'ping' | 'problems' | 'secretValues'> & { signIns: Pick<HostApi['signIns'], 'accounts'> };
