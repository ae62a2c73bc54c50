/**
 * The command line: `mcp-deck <command> [options]`.
 *
 * Exit codes: 0 success, 1 a test, check or call failed, 2 the command could not be carried out, for example because of
 * wrong usage or because a server did not start. Results are on stdout. With `--json`, stdout is exactly one JSON
 * document with the field `ok`; a failure is `{"ok": false, "error": {"code", "message", "stderr"}}`.
 */
import { nearestName } from '../core/base/editDistance.js';
import { isCancelled, messageOf } from '../core/base/hostError.js';
import { shownText, visibleLine } from '../core/base/hostileText.js';
import { CliError, usageError, version } from './cliError.js';
import type { Command } from './commands/command.js';
import { doctorCommand } from './commands/doctor.js';
import { listCommand } from './commands/list.js';
import { callCommand, promptCommand, readCommand } from './commands/callReadPrompt.js';
import { commandHelp, programHelp } from './help.js';
import { commonOptions, readOptions } from './options.js';
import { Output, safeJson, withoutCommands } from './output.js';
import { Questions } from './questions.js';

/** The commands. A command with large libraries is loaded when it runs. */
const commands: Readonly<Record<string, Command | (() => Promise<Command>)>> = {
  list: listCommand,
  call: callCommand,
  read: readCommand,
  prompt: promptCommand,
  test: async () => (await import('./commands/test.js')).testCommand,
  lint: async () => (await import('./commands/lint.js')).lintCommand,
  lock: async () => (await import('./commands/lock.js')).lockCommand,
  record: async () => (await import('./commands/record.js')).recordCommand,
  mock: async () => (await import('./commands/mock.js')).mockCommand,
  compare: async () => (await import('./commands/compare.js')).compareCommand,
  conformance: async () => (await import('./commands/conformance.js')).conformanceCommand,
  doctor: doctorCommand,
  gateway: async () => (await import('./commands/gateway.js')).gatewayCommand,
};

async function main(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === 'help') {
    await showHelp();
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const nearest = nearestName(name, Object.keys(commands));
    throw usageError(
      `The command "${visibleLine(name, 60)}" is not known.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`} Use --help to see all commands.`,
    );
  }
  return runCommand(name, await loaded(command), rest);
}

function loaded(command: Command | (() => Promise<Command>)): Command | Promise<Command> {
  return typeof command === 'function' ? command() : command;
}

async function showHelp(): Promise<void> {
  const all = Object.entries(commands).map(async ([name, command]) => [name, await loaded(command)] as const);
  process.stdout.write(programHelp(Object.fromEntries(await Promise.all(all))));
}

function runCommand(name: string, command: Command, args: string[]): Promise<number> {
  const options = readOptions(args, { ...command.options, ...commonOptions });
  if (options.values['help'] === true) {
    process.stdout.write(commandHelp(name, command));
    return Promise.resolve(0);
  }
  const output = new Output({
    isJson: options.values['json'] === true,
    mayColor: options.values['no-color'] !== true,
    isVerbose: options.values['verbose'] === true,
    env: process.env,
  });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const questions = new Questions(output, options.values['yes'] === true);
  return command.run({ options, output, questions, folder: process.cwd(), signal: stop.signal });
}

/** Shows a failure; returns the exit code. */
function report(error: unknown, isJson: boolean): number {
  const failure = error instanceof CliError ? error : undefined;
  const code = failure?.code ?? (isCancelled(error) ? 'cancelled' : 'internal');
  const message = isCancelled(error) ? 'The command was canceled.' : shownText(messageOf(error));
  const stderr = failure?.lines ?? [];
  if (isJson) process.stdout.write(`${safeJson({ ok: false, error: { code, message, stderr } })}\n`);
  else {
    // The failure replaces a line of progress, which only a terminal has.
    process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${withoutCommands(message)}\n`);
    for (const line of stderr) process.stderr.write(`  | ${withoutCommands(visibleLine(line, 500))}\n`);
  }
  return failure?.exitCode ?? 2;
}

// The reader of the output can close it, as `head` does. The command still ends with its own exit code.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const args = process.argv.slice(2);
// Without this handler, Node would end with exit code 1, which means that a test, check or call failed.
process.on('uncaughtException', (error) => process.exit(report(error, args.includes('--json'))));
// Listeners and timers of the core do not keep a process alive, for example while it waits for the end of a sign-in.
setInterval(() => undefined, 0x7fffffff);
void main(args)
  .catch((error: unknown) => report(error, args.includes('--json')))
  .then((code) => process.stdout.write('', () => process.exit(code)));
