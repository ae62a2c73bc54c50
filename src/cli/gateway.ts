/** The program `dist/gateway.mjs`, which does the same as `mcp-deck gateway`. */
import { HostError, messageOf } from '../core/base/hostError.js';
import { gatewayOptions, runGateway } from './gatewayProgram.js';
import { readOptions } from './options.js';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    const [{ commandHelp }, { gatewayCommand }] = await Promise.all([
      import('./help.js'),
      import('./commands/gateway.js'),
    ]);
    process.stdout.write(commandHelp('gateway', gatewayCommand));
    return;
  }
  await runGateway(readOptions(args, gatewayOptions));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof HostError ? `${error.message} ${error.hint ?? ''}` : messageOf(error)}\n`);
  process.exit(2);
});
