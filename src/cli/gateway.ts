/** The program `dist/gateway.mjs`, which does the same as `mcp-deck gateway`. */
import { HostError, messageOf } from '../core/base/hostError.js';
import { gatewayOptions, runGateway } from './gatewayProgram.js';
import { readOptions } from './options.js';

async function main(): Promise<void> {
  await runGateway(readOptions(process.argv.slice(2), gatewayOptions));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof HostError ? `${error.message} ${error.hint ?? ''}` : messageOf(error)}\n`);
  process.exit(2);
});
