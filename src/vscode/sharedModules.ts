import * as hostError from '../core/base/hostError.js';
import * as jsonRpc from '../core/protocol/jsonRpc.js';
import * as lineSplitter from '../core/protocol/lineSplitter.js';
import * as parseMessage from '../core/protocol/parseMessage.js';
import * as slicedReader from '../core/protocol/slicedReader.js';
import * as clientConnection from '../core/serving/clientConnection.js';
import * as clientRequest from '../core/serving/clientRequest.js';
import * as mcpServer from '../core/serving/mcpServer.js';
import * as envelope from '../core/serving/envelope.js';

/**
 * The modules that `dist/lib/gateway.js` shares with `dist/deck.js` instead of bundling a copy
 * (`esbuild.libraries.mjs`). With two copies of a class, `instanceof` would not recognize an error of the other file.
 * The keys are paths below `src/core`.
 */
export const sharedModules = {
  'base/hostError': hostError,
  'protocol/jsonRpc': jsonRpc,
  'protocol/lineSplitter': lineSplitter,
  'protocol/parseMessage': parseMessage,
  'protocol/slicedReader': slicedReader,
  'serving/clientConnection': clientConnection,
  'serving/clientRequest': clientRequest,
  'serving/envelope': envelope,
  'serving/mcpServer': mcpServer,
};
