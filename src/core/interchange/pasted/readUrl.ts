import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import { parsedUrl } from '../../base/parsedUrl.js';
import { readInstallLink } from '../installLink.js';
import type { Found, NotFound } from './foundServer.js';

/** Whether a text is one URL: with a scheme, or a host with a port or path. */
export function isAddress(text: string): boolean {
  return (/^[a-z][a-z0-9+.-]*:[^\s"'<>]+$/i.test(text) && !/^[a-z]:\\/i.test(text)) || isBareAddress(text);
}

/** Whether a text is a URL without a scheme, such as `localhost:3000/mcp` or `mcp.example.com/mcp`. */
function isBareAddress(text: string): boolean {
  return /^(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/[^\s"'<>]*)?$|^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?\/(?:[^\s"'<>]*\/)?(?:mcp|sse)\/?$/i.test(
    text,
  );
}

/** Reads the URL of a server, an install link of an app, or the URL of the page of a package. */
export function readPastedUrl(text: string): Found | NotFound {
  if (isBareAddress(text) && !/^[a-z]+:\/\//i.test(text))
    return remote(/^(?:localhost|127\.)/i.test(text) ? `http://${text}` : `https://${text}`);
  const link = installQueryOf(text);
  if (link !== undefined) {
    const read = readInstallLink(link);
    if ('problem' in read) return { problem: t('The link cannot be used. {0}', read.problem) };
    return { servers: [{ name: read.server.name, raw: read.server.fields }], inputs: read.inputs };
  }
  const scheme = /^(https?|wss?|unix|pipe):\/\/./i.exec(text)?.[1]?.toLowerCase();
  const parsed = parsedUrl(text);
  if (scheme === undefined || (/^(?:http|ws)/.test(scheme) && !parsed))
    return { problem: t('A URL starts with https://, http://, wss://, ws://, unix:///, or pipe:///.') };
  return (parsed && scheme.startsWith('http') ? packagePage(parsed) : undefined) ?? remote(text);
}

function remote(url: string): Found {
  return { servers: [{ raw: { type: /^wss?:/i.test(url) ? 'ws' : 'http', url } }] };
}

/** The query of an install link: `vscode:mcp/install?…`, its redirect pages, and the links of other apps. */
function installQueryOf(text: string): string | undefined {
  const query = text.slice(text.indexOf('?') + 1).replace(/#.*$/, '');
  if (!text.includes('?')) return undefined;
  if (/^[a-z][a-z0-9+.-]*:(?!\/\/)(?:mcp\/install)\/?\?/i.test(text)) return query;
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^?]*(?:mcp\/install|add_mcp|\/install)\/?\?/i.test(text)) return query;
  if (/^https:\/\/(?:insiders\.)?vscode\.dev\/redirect\?/i.test(text)) {
    const inner = new URLSearchParams(query).get('url');
    return inner === null ? undefined : installQueryOf(inner);
  }
  return /^https:\/\/(?:(?:insiders\.)?vscode\.dev\/redirect\/mcp\/install|(?:www\.)?cursor\.com\/(?:[a-z-]+\/)?install-mcp)\/?\?/i.test(
    text,
  )
    ? query
    : undefined;
}

/** Reads the URL of a page that describes a package. Undefined if a server may have this URL. */
function packagePage({ hostname, pathname }: URL): Found | NotFound | undefined {
  const path = decoded(pathname).replace(/^\/|\/$/g, '');
  switch (hostname.replace(/^www\./, '')) {
    case 'npmjs.com':
    case 'npmx.dev': {
      const name = /^package\/((?:@[\w.-]+\/)?[\w.-]+)(?:\/v\/([\w.+-]+))?/.exec(path);
      return name
        ? {
            servers: [
              {
                raw: {
                  command: 'npx',
                  args: ['-y', name[2] === undefined ? (name[1] ?? '') : `${name[1]}@${name[2]}`],
                },
              },
            ],
          }
        : notAServer(hostname);
    }
    case 'pypi.org': {
      const name = /^project\/([\w.-]+)(?:\/([\w.+-]+))?/.exec(path);
      return name
        ? {
            servers: [
              { raw: { command: 'uvx', args: [name[2] === undefined ? (name[1] ?? '') : `${name[1]}@${name[2]}`] } },
            ],
          }
        : notAServer(hostname);
    }
    case 'hub.docker.com': {
      const name = /^(?:r|mcp\/server)\/([\w./-]+?)(?:\/(?:overview|tools|tags).*)?$/.exec(path);
      const image = path.startsWith('mcp/') ? `mcp/${name?.[1] ?? ''}` : name?.[1];
      return name && image !== undefined
        ? { servers: [{ raw: { command: 'docker', args: ['run', '-i', '--rm', image] } }] }
        : notAServer(hostname);
    }
    case 'github.com':
    case 'gitlab.com':
    case 'smithery.ai':
    case 'glama.ai':
      return notAServer(hostname);
    default:
      return undefined;
  }
}

function notAServer(hostname: string): NotFound {
  return {
    problem: t(
      'This is a page of {0}, not a server. Copy the command or the JSON configuration from its instructions.',
      visibleLine(hostname, 60),
    ),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
