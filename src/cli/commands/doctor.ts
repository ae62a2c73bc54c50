import { shownText, visibleLine } from '../../core/base/hostileText.js';
import { diagnose } from '../../core/doctor/doctor.js';
import type { Check } from '../../core/doctor/check.js';
import type { McpHost } from '../../core/host/mcpHost.js';
import { findServer } from '../cliHost.js';
import { serverOptions } from '../options.js';
import type { Output } from '../output.js';
import { isOnCommandLine } from '../serverSources.js';
import type { Command, CommandRun } from './command.js';
import { serverAndWords, withServers } from './serverCommand.js';

const marks = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
  skipped: ['–', 'dim'],
} as const;

export const doctorCommand: Command = {
  words: '[server]',
  help: 'Check why a server does not work. Without a name, check all servers.',
  options: serverOptions,
  examples: ['mcp-deck doctor', 'mcp-deck doctor calculator --yes', 'mcp-deck doctor --url https://example.com/mcp'],
  run: (run) =>
    withServers(run, async (host) => {
      const { words } = run.options;
      const one = words.length > 0 || isOnCommandLine(run.options);
      const names = one
        ? [findServer(host, serverAndWords(run, [], 0).server)]
        : host.servers.list().map(({ id }) => id);
      const reports: { server: string; ok: boolean; checks: readonly Check[] }[] = [];
      for (const server of names) {
        const checks = await examine(run, host, server);
        const ok = checks.every(({ outcome }) => outcome !== 'failed');
        reports.push({ server, ok, checks });
        if (!run.output.isJson) draw(run.output, server, checks);
      }
      const ok = reports.every((report) => report.ok);
      if (run.output.isJson) run.output.json({ ok, servers: reports });
      return ok ? 0 : 1;
    }),
};

async function examine({ output, questions, signal }: CommandRun, host: McpHost, server: string) {
  // The diagnosis asks no questions. The server is started once before it, so that the user can approve the start. If
  // this start fails, the diagnosis reports the failure.
  await host.lifecycle.start(server, { interactive: true, signal }).catch((error: unknown) => {
    if (questions.refusal) throw questions.refusal;
    return error;
  });
  await host.lifecycle.stop(server);
  const { checks } = await diagnose(host, server, await host.servers.inspect(server), {
    signal,
    onStep: (id) => output.progress(`${visibleLine(server, 60)}: ${id}`),
  });
  output.clearProgress();
  return checks;
}

function draw(output: Output, server: string, checks: readonly Check[]): void {
  output.line(output.style(visibleLine(server, 100), 'bold'));
  for (const { id, outcome, seen, fix } of checks) {
    const [mark, style] = marks[outcome];
    output.line(`  ${output.style(mark, style)} ${id.padEnd(13)} ${shownText(seen)}`);
    if (fix !== undefined) output.line(`${' '.repeat(18)}→ ${shownText(fix)}`);
  }
}
