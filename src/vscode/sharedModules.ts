import * as hostError from '../core/base/hostError.js';
import * as jsonRpc from '../core/protocol/jsonRpc.js';
import * as clientConnection from '../core/serving/clientConnection.js';
import * as clientRequest from '../core/serving/clientRequest.js';
import * as mcpServer from '../core/serving/mcpServer.js';
import * as envelope from '../core/serving/envelope.js';

/**
 * The modules that `dist/lib/gateway.js` takes from `dist/deck.js` (`esbuild.libraries.mjs`). `instanceof` recognizes
 * errors only if both files have the same classes. The keys are paths below `src/core`.
 */
export const sharedModules = {
  'base/hostError': hostError,
  'protocol/jsonRpc': jsonRpc,
  'serving/clientConnection': clientConnection,
  'serving/clientRequest': clientRequest,
  'serving/envelope': envelope,
  'serving/mcpServer': mcpServer,
};
