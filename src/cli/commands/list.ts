import { visibleLine } from '../../core/base/hostileText.js';
import type { ServerView } from '../../core/catalog/hostTypes.js';
import { serverOptions } from '../options.js';
import type { Output } from '../output.js';
import { isOnCommandLine } from '../serverSources.js';
import type { Command, CommandRun } from './command.js';
import { serverAndWords, withServer, withServers } from './serverCommand.js';

/** Maximum length of a description in a line, in characters. */
const maxDescription = 100;

export const listCommand: Command = {
  words: '[server]',
  help: 'Show the servers, or what one server offers.',
  options: serverOptions,
  examples: ['mcp-deck list', 'mcp-deck list calculator --json', 'mcp-deck list --command "node server.mjs"'],
  run: async (run) => {
    if (run.options.words.length === 0 && !isOnCommandLine(run.options)) await listServers(run);
    else await listFeatures(run);
    return 0;
  },
};

function listServers(run: CommandRun): Promise<void> {
  const { output } = run;
  return withServers(run, (host) => {
    const servers = host.servers.list().map(({ id, entry: { definition, source, isEnabled } }) => ({
      name: id,
      type: definition.type,
      source: source.label,
      isEnabled,
    }));
    if (output.isJson) output.json({ ok: true, servers });
    else if (servers.length === 0)
      output.note('There are no servers. Default files: .vscode/mcp.json, .mcp.json, and mcp.json.');
    for (const { name, type, source, isEnabled } of output.isJson ? [] : servers)
      output.line(
        `${output.style(visibleLine(name, 100), 'bold')}  ${type}  ${output.style(visibleLine(source), 'dim')}${isEnabled ? '' : '  disabled'}`,
      );
    return Promise.resolve();
  });
}

function listFeatures(run: CommandRun): Promise<void> {
  const { server: name } = serverAndWords(run, [], 0);
  return withServer(run, name, (host, server) => {
    const view = host.servers.get(server);
    if (run.output.isJson) run.output.json(featuresJson(server, view));
    else drawFeatures(run.output, view);
    return Promise.resolve();
  });
}

function featuresJson(server: string, view: ServerView | undefined): unknown {
  const { identity, tools = [], resources = [], resourceTemplates = [], prompts = [] } = view?.features ?? {};
  const { revision, info } = identity ?? {};
  return { ok: true, server, info, protocol: revision, tools, resources, resourceTemplates, prompts };
}

function drawFeatures(output: Output, view: ServerView | undefined): void {
  const features = view?.features;
  if (!features) return;
  const section = (title: string, items: readonly { name: string; description?: string | undefined }[]) => {
    if (items.length === 0) return;
    output.line(output.style(title, 'bold'));
    for (const { name, description } of items) {
      const more =
        description === undefined ? '' : `  ${output.style(visibleLine(description, maxDescription), 'dim')}`;
      output.line(`  ${visibleLine(name, 200)}${more}`);
    }
  };
  section('Tools', features.tools);
  section(
    'Resources',
    features.resources.map(({ uri, name }) => ({ name: uri, description: name })),
  );
  section(
    'Resource templates',
    features.resourceTemplates.map(({ uriTemplate, name }) => ({ name: uriTemplate, description: name })),
  );
  section('Prompts', features.prompts);
  for (const warning of features.warnings) output.note(visibleLine(warning, 500));
}
