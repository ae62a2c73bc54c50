/** The program `dist/gateway.mjs`, which does the same as `mcp-deck gateway`. */
import { HostError, messageOf } from '../core/base/hostError.js';
import { readGatewayValues, runGateway } from './gatewayProgram.js';

async function main(): Promise<void> {
  await runGateway(readGatewayValues(process.argv.slice(2)));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof HostError ? `${error.message} ${error.hint ?? ''}` : messageOf(error)}\n`);
  process.exit(2);
});
