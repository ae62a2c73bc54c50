import { randomBytes } from 'node:crypto';
import { HttpFront } from '../serving/httpFront.js';
import type { GatewayOptions } from './gateway.js';
import { Gateway } from './gateway.js';

export interface PrivateFront {
  url: string;
  close(): Promise<void>;
}

/** Maximum size of a request, bytes. */
const maxBodyBytes = 16 * 1024 * 1024;

/**
 * A URL for the running servers of a host, for one client that cannot send a token. The path is random instead, so
 * other programs and web pages do not know it. Rejects with the error of the operating system if no port can be opened.
 */
export async function openPrivateFront(options: GatewayOptions): Promise<PrivateFront> {
  const gateway = new Gateway(options);
  const path = `/${randomBytes(24).toString('base64url')}`;
  const front = new HttpFront({ server: gateway.server, path, maxBodyBytes, log: options.log });
  try {
    const { url } = await front.listen();
    return {
      url,
      close: async () => {
        await front.close();
        gateway.dispose();
      },
    };
  } catch (error) {
    gateway.dispose();
    throw error;
  }
}
