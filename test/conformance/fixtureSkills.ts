/**
 * One skill for the suite's Skills scenarios (`io.modelcontextprotocol/skills`), through the server half's extension
 * point.
 */
import { createHash } from 'node:crypto';
import { ErrorCode, ProtocolError } from '../../src/core/protocol/jsonRpc.js';
import type { ResourceProvider } from '../../src/core/serving/servedFeatures.js';
import type { RequestContext } from '../../src/core/serving/requestContext.js';
import type { MethodHandler } from '../../src/core/serving/serverMethods.js';

const folder = 'skill://fixture/greeting';
const frontmatter = { name: 'greeting', description: 'How to greet somebody politely.' };

/** The files of the skill, by path. */
const files: ReadonlyMap<string, string> = new Map([
  [
    'SKILL.md',
    `---\nname: ${frontmatter.name}\ndescription: ${frontmatter.description}\n---\n\n# Greeting\n\nSay hello; see references/words.md.\n`,
  ],
  ['references/words.md', '# Words\n\nHello, good morning, good evening.\n'],
]);

const entry = {
  uri: `${folder}/SKILL.md`,
  frontmatter,
  resources: [...files].map(([path, text]) => ({
    uri: `${folder}/${path}`,
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
    size: Buffer.byteLength(text),
  })),
};

export const skillsExtension = { 'io.modelcontextprotocol/skills': { directoryRead: true } };

export const skillFiles: ResourceProvider[] = [...files].map(([path, text]) => ({
  // The main file has the skill's own name and description.
  resource: {
    uri: `${folder}/${path}`,
    mimeType: 'text/markdown',
    ...(path === 'SKILL.md' ? frontmatter : { name: path, description: 'A file of a skill' }),
  },
  read: () => [{ uri: `${folder}/${path}`, mimeType: 'text/markdown', text }],
}));

export const skillMethods: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ['skills/list', (_params, context) => ({ skills: [entry], ...caching(context) })],
  [
    'skills/get',
    ({ uri }, context) => {
      if (uri !== entry.uri) throw new ProtocolError(ErrorCode.invalidParams, 'There is no such skill.', { uri });
      return { skill: entry, ...caching(context) };
    },
  ],
  [
    'resources/directory/read',
    ({ uri }, context) => {
      const children = childrenOf(String(uri));
      if (!children) throw new ProtocolError(ErrorCode.invalidParams, 'This is not a folder.', { uri });
      return { resources: children, ...caching(context) };
    },
  ],
]);

/** Hints that the extension's methods carry in the same place as the base protocol's methods. */
function caching({ era }: RequestContext): Record<string, unknown> {
  return era === 'modern' ? { ttlMs: 0, cacheScope: 'public' } : {};
}

function childrenOf(uri: string): Record<string, unknown>[] | undefined {
  const base = `${uri.replace(/\/$/, '')}/`;
  const below = [...files.keys()].map((path) => `${folder}/${path}`).filter((file) => file.startsWith(base));
  if (below.length === 0 || !base.startsWith(`${folder}/`)) return undefined;
  const names = new Set(below.map((file) => file.slice(base.length).split('/', 1)[0] ?? ''));
  return [...names].map((name) => {
    const isFile = below.includes(base + name);
    return { uri: base + name, name, mimeType: isFile ? 'text/markdown' : 'inode/directory' };
  });
}
