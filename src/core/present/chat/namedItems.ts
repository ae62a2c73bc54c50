/** Reads what the user typed after `/read`, `/prompt` and `/why`. Names may contain dots and spaces. */
import { t } from '@vscode/l10n';
import { nearestName } from '../../base/editDistance.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import { fitsTemplate } from '../../protocol/templateMatch.js';
import type { Prompt, Tool } from '../../protocol/mcp.js';
import { inlineCode } from '../text/markdown.js';
import { namedTool, readCallArguments } from './callLine.js';

interface Problem {
  problem: string;
}

export type ReadRequest = { server: string; uri: string } | Problem;

/** Reads `server URI`, or only a URI, which exactly one running server must list or have a template for. */
export function readReadRequest(prompt: string, servers: readonly ServerView[]): ReadRequest {
  const text = prompt.trim();
  if (text === '') return { problem: t('Specify a resource: {0}', '`/read server URI`') };
  const server = servers
    .filter(({ id }) => text.startsWith(id) && /^\s/.test(text.slice(id.length)))
    .sort((one, other) => other.id.length - one.id.length)[0];
  if (server) {
    if (!server.features) return notRunning(server);
    return { server: server.id, uri: text.slice(server.id.length).trim() };
  }
  const owners = servers.filter(
    ({ features }) =>
      features?.resources.some(({ uri }) => uri === text) === true ||
      features?.resourceTemplates.some(({ uriTemplate }) => fitsTemplate(uriTemplate, text)) === true,
  );
  const [owner, ...others] = owners;
  if (owner && others.length === 0) return { server: owner.id, uri: text };
  const names = owners.map(({ id }) => inlineCode(id, 80)).join(', ');
  return {
    problem: owner
      ? t('Several servers have this URI: {0}. Write the name of the server before the URI.', names)
      : t(
          'No running server has the resource {0}. {1} lists the resources.',
          inlineCode(text, 200),
          '`@deck /resources`',
        ),
  };
}

export type PromptRequestText = { server: string; prompt: Prompt; arguments: Record<string, string> } | Problem;

/** Reads `server.prompt {json}`. The values must be strings. */
export function readPromptRequest(prompt: string, servers: readonly ServerView[]): PromptRequestText {
  const text = prompt.trim();
  if (text === '') return { problem: t('Specify a prompt: {0}', '`/prompt server.prompt {"argument": "value"}`') };
  const named = servers
    .flatMap(({ id, features }) =>
      (features?.prompts ?? []).map((one) => ({ server: id, prompt: one, prefix: `${id}.${one.name}` })),
    )
    .filter(({ prefix }) => text === prefix || (text.startsWith(prefix) && /[\s{]/.test(text.charAt(prefix.length))))
    .sort((one, other) => other.prefix.length - one.prefix.length)[0];
  if (!named) {
    const server = servers.find(({ id }) => text === id || text.startsWith(`${id}.`));
    if (server && !server.features) return notRunning(server);
    return {
      problem: t(
        'No running server has the prompt {0}. {1} lists the prompts.',
        inlineCode(text.split(/[\s{]/, 1)[0] ?? '', 80),
        '`@deck /prompts`',
      ),
    };
  }
  const rest = text.slice(named.prefix.length).trim();
  const read = rest === '' ? { values: {} } : readCallArguments(rest);
  if ('problem' in read) return { problem: read.problem };
  const wrong = Object.entries(read.values).find(([, value]) => typeof value !== 'string');
  if (wrong)
    return {
      problem: t('The argument {0} of a prompt must be a string in quotation marks.', inlineCode(wrong[0], 60)),
    };
  const values = read.values as Record<string, string>;
  const missing = (named.prompt.arguments ?? []).filter(
    ({ name, required }) => required === true && !Object.hasOwn(values, name),
  );
  if (missing.length > 0)
    return {
      problem: t('These arguments are missing: {0}.', missing.map(({ name }) => inlineCode(name, 60)).join(', ')),
    };
  return { server: named.server, prompt: named.prompt, arguments: values };
}

export type WhyRequest = { view: ServerView; tool?: Tool } | Problem;

/** Reads the name of a server, or `server.tool`. */
export function readWhyRequest(prompt: string, servers: readonly ServerView[]): WhyRequest {
  const text = prompt.trim();
  const tool = namedTool(text, servers);
  const view =
    servers.find(({ id }) => id === (tool?.server ?? text)) ?? servers.find(({ id }) => text.startsWith(`${id}.`));
  if (view && tool) return { view, tool: tool.tool };
  if (view && (view.id === text || !view.features)) return { view };
  const names = servers.flatMap(({ id, features }) => [
    id,
    ...(features?.tools ?? []).map(({ name }) => `${id}.${name}`),
  ]);
  const near = nearestName(text, names);
  return {
    problem: `${t('There is no server or tool {0}.', inlineCode(text, 80))}${near === undefined ? '' : ` ${t('Did you mean {0}?', inlineCode(near, 160))}`}`,
  };
}

function notRunning({ id }: ServerView): Problem {
  return { problem: t('The server {0} is not running. {1} explains why.', inlineCode(id, 80), '`@deck /why`') };
}
