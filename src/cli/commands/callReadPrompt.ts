import { visibleLine } from '../../core/base/hostileText.js';
import type { CallOptions } from '../../core/catalog/hostTypes.js';
import type { McpHost } from '../../core/host/mcpHost.js';
import type { ContentBlock } from '../../core/protocol/mcp.js';
import type { ExitCode } from '../cliError.js';
import { usageError } from '../cliError.js';
import { readObject, requestFailure } from '../cliHost.js';
import { serverOptions } from '../options.js';
import type { Output } from '../output.js';
import type { Command, CommandRun } from './command.js';
import { serverAndWords, withServer } from './serverCommand.js';

export const callCommand: Command = {
  words: '<server> <tool> [json]',
  help: 'Call a tool. Ends with 1 if the tool reports an error.',
  options: serverOptions,
  examples: [
    `mcp-deck call calculator add '{"a": 2, "b": 3}'`,
    `mcp-deck call --url http://localhost:3000/mcp search '{"query": "x"}' --json`,
    'mcp-deck call calculator add - < arguments.json',
  ],
  run: async (run) => {
    const { server, rest } = serverAndWords(run, ['tool', 'json'], 1);
    const [tool = '', json] = rest;
    const values = await readObject(json);
    return request(run, server, async (host, id, options) => {
      const result = await host.calls.runTool(
        { server: id, tool, arguments: values },
        { ...options, caller: 'script', isApi: true, onOutputProblems: (problems) => warn(run.output, problems) },
      );
      const isError = result.isError === true;
      return { result, code: isError ? 1 : 0, text: contentText(result.content, result.structuredContent) };
    });
  },
};

export const readCommand: Command = {
  words: '<server> <uri>',
  help: 'Read a resource.',
  options: serverOptions,
  examples: ['mcp-deck read docs file:///guide.md > guide.md'],
  run: async (run) => {
    const { server, rest } = serverAndWords(run, ['uri'], 1);
    return request(run, server, async (host, id, options) => {
      const result = await host.calls.readResource({ server: id, uri: rest[0] ?? '' }, options);
      const parts = result.contents.map((part) => resourceText(part));
      return { result, code: 0, text: parts.join('\n') };
    });
  },
};

export const promptCommand: Command = {
  words: '<server> <name> [json]',
  help: 'Get a prompt.',
  options: serverOptions,
  examples: [`mcp-deck prompt docs summarize '{"length": "short"}'`],
  run: async (run) => {
    const { server, rest } = serverAndWords(run, ['name', 'json'], 1);
    const values = Object.entries(await readObject(rest[1]));
    const wrong = values.find(([, value]) => typeof value !== 'string');
    if (wrong) throw usageError(`The argument "${visibleLine(wrong[0], 60)}" of a prompt must be a string.`);
    const texts = Object.fromEntries(values) as Record<string, string>;
    return request(run, server, async (host, id, options) => {
      const result = await host.calls.getPrompt({ server: id, prompt: rest[0] ?? '', arguments: texts }, options);
      const parts = result.messages.map(({ role, content }) => `${role}: ${contentText([content], undefined)}`);
      return { result, code: 0, text: parts.join('\n\n') };
    });
  },
};

interface Answer {
  result: unknown;
  code: ExitCode;
  text: string;
}

/** Starts the server, sends one request, and shows its result. */
function request(
  run: CommandRun,
  name: string,
  send: (host: McpHost, server: string, options: CallOptions) => Promise<Answer>,
): Promise<ExitCode> {
  const { output, signal } = run;
  return withServer(run, name, async (host, server) => {
    const options: CallOptions = {
      signal,
      interactive: true,
      onProgress: ({ progress, total, message }) =>
        output.progress(
          `${progress}${total === undefined ? '' : `/${total}`} ${message === undefined ? '' : visibleLine(message)}`,
        ),
    };
    const answer = await send(host, server, options).catch((error: unknown) => {
      throw requestFailure(error, server);
    });
    if (output.isJson) output.json({ ok: answer.code === 0, server, result: answer.result });
    else if (answer.text !== '') output.line(output.ofServer(answer.text));
    return answer.code;
  });
}

function warn(output: Output, problems: readonly string[]): void {
  for (const problem of problems.slice(0, 10))
    output.note(`The result does not match the output schema: ${visibleLine(problem, 500)}`);
}

/** The content of a result as text. Without any content, the structured content as JSON. */
function contentText(content: readonly ContentBlock[], structured: unknown): string {
  if (content.length === 0 && structured !== undefined) return JSON.stringify(structured, undefined, 2);
  return content
    .map((block) => {
      switch (block.type) {
        case 'text':
          return block.text;
        case 'image':
        case 'audio':
          return `[${block.type}, ${visibleLine(block.mimeType, 60)}, ${block.data.length} characters of Base64]`;
        case 'resource_link':
          return block.uri;
        case 'resource':
          return resourceText(block.resource);
      }
    })
    .join('\n');
}

function resourceText(contents: { uri: string; text?: string; blob?: string }): string {
  return contents.text ?? `[${contents.uri}, ${contents.blob?.length ?? 0} characters of Base64]`;
}
