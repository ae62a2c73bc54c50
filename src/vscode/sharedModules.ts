import * as l10n from '@vscode/l10n';
import * as hostError from '../core/base/hostError.js';
import * as hostileText from '../core/base/hostileText.js';
import * as parseConfig from '../core/config/parseConfig.js';
import * as mcpHost from '../core/host/mcpHost.js';
import * as failureText from '../core/present/failure/failureText.js';
import * as jsonRpc from '../core/protocol/jsonRpc.js';
import * as lineSplitter from '../core/protocol/lineSplitter.js';
import * as parseMessage from '../core/protocol/parseMessage.js';
import * as slicedReader from '../core/protocol/slicedReader.js';
import * as clientConnection from '../core/serving/clientConnection.js';
import * as clientRequest from '../core/serving/clientRequest.js';
import * as mcpServer from '../core/serving/mcpServer.js';
import * as envelope from '../core/serving/envelope.js';

/**
 * The modules that `dist/lib/gateway.js` and `dist/lib/testing.js` share with `dist/deck.js` instead of bundling a copy
 * (`esbuild.libraries.mjs`). With two copies of a class, `instanceof` would not recognize an error of the other file,
 * and a second copy of `@vscode/l10n` would have no language. The other keys are paths below `src/core`.
 */
export const sharedModules = {
  '@vscode/l10n': l10n,
  'base/hostError': hostError,
  'base/hostileText': hostileText,
  'config/parseConfig': parseConfig,
  'host/mcpHost': mcpHost,
  'present/failure/failureText': failureText,
  'protocol/jsonRpc': jsonRpc,
  'protocol/lineSplitter': lineSplitter,
  'protocol/parseMessage': parseMessage,
  'protocol/slicedReader': slicedReader,
  'serving/clientConnection': clientConnection,
  'serving/clientRequest': clientRequest,
  'serving/envelope': envelope,
  'serving/mcpServer': mcpServer,
};
