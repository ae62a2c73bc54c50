import { t } from '@vscode/l10n';
import { visibleLine } from '../base/hostileText.js';
import { parsedUrl } from '../base/parsedUrl.js';
import { httpFields } from './fieldNames.js';
import { readOAuth } from './readOAuth.js';
import type { RemoteDefinition } from './serverDefinition.js';
import type { ServerFields } from './serverFields.js';
import { forbiddenInArguments } from './serverFields.js';

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Reads a server that is reached by HTTP or WebSocket. @param type the type that the entry specifies. */
export function readRemoteServer(
  fields: ServerFields,
  type: RemoteDefinition['type'] | undefined,
): RemoteDefinition | undefined {
  const headers = readHeaders(fields);
  const url = readUrl(fields, type);
  if (url === undefined) return undefined;
  const caNode = fields.node('caFile');
  const caFile: unknown = caNode?.value;
  // If the field is invalid, the server is not used, because the default authorities must not be trusted instead.
  if (caNode && (typeof caFile !== 'string' || caFile.trim() === ''))
    fields.fail(
      t(
        '"caFile" must be a string, the path of a PEM file with the authorities to trust. Correct it, or remove the field to trust the built-in authorities.',
      ),
      caNode,
    );
  const oauthNode = fields.node('oauth');
  const oauth = oauthNode && readOAuth(oauthNode, (message, place) => void fields.fail(message, place));
  return {
    type: type ?? (/^wss?:/i.test(url) ? 'ws' : 'auto'),
    url,
    headers,
    ...(oauth === undefined ? {} : { oauth }),
    ...(typeof caFile === 'string' && caFile !== '' ? { caFile } : {}),
  };
}

function readUrl(fields: ServerFields, type: RemoteDefinition['type'] | undefined): string | undefined {
  const node = fields.node('url') ?? fields.node('serverUrl');
  const command = fields.members.get('command');
  if (command && command.value.type !== 'null')
    fields.report(
      'warning',
      t(
        '"command" is not used, because the type makes this a remote server. For a local server, change the type to "stdio".',
      ),
      command.key,
    );
  if (!node)
    return fields.fail(t('A remote server needs a "url".'), fields.members.get('url')?.value ?? fields.node('type'));
  const url: unknown = node.value;
  if (typeof url !== 'string') return fields.fail(t('"url" must be a string, the URL of the server.'), node);
  const problem = urlProblem(url, type);
  return problem === undefined ? url : fields.fail(problem, node);
}

/**
 * Reads a server that is reached through a socket. Without HTTP there are no headers, no certificate authorities, and
 * no sign-in. Fields for these are kept and reported.
 */
export function readSocketServer(fields: ServerFields): RemoteDefinition | undefined {
  for (const name of httpFields) {
    const key = fields.has(name) && fields.members.get(name)?.key;
    if (key)
      fields.report(
        'warning',
        t(
          '"{0}" is not used: a server of type "socket" is reached without HTTP. Remove it, or change the type to "http".',
          name,
        ),
        key,
      );
  }
  const url = readUrl(fields, 'socket');
  return url === undefined ? undefined : { type: 'socket', url, headers: {} };
}

function readHeaders(fields: ServerFields): Record<string, string> {
  const object = fields.node('headers');
  if (!object) return {};
  if (object.type !== 'object') {
    fields.fail(t('"headers" must be an object of names and strings.'), object);
    return {};
  }
  const headers: [string, string][] = [];
  const seen = new Set<string>();
  for (const { name, key, value } of fields.distinct(object).values()) {
    const content: unknown = value.value;
    if (!headerName.test(name))
      fields.fail(t('"{0}" is not a valid name of an HTTP header.', visibleLine(name, 60)), key);
    else if (typeof content !== 'string')
      fields.fail(t('The value of the header "{0}" must be a string.', name), value);
    else if (forbiddenInArguments.test(content))
      fields.fail(t('The value of the header "{0}" cannot contain line breaks or NUL characters.', name), value);
    else if (seen.has(name.toLowerCase()))
      fields.fail(
        t(
          'The header "{0}" is written twice. Header names are not case-sensitive. Remove one of the two headers.',
          name,
        ),
        key,
      );
    else headers.push([name, content]);
    seen.add(name.toLowerCase());
  }
  return Object.fromEntries(headers);
}

/** The problem with a URL, as far as it is visible before variables are filled in; undefined if there is none. */
function urlProblem(url: string, type: RemoteDefinition['type'] | undefined): string | undefined {
  if (url.trim() === '') return t('A remote server needs a "url".');
  if (/[\u0000-\u001f\u007f-\u009f]/.test(url))
    return t('The "url" cannot contain line breaks or other control characters.');
  // If the URL begins with a variable, its scheme is known only at the start.
  if (url.startsWith('${')) return undefined;
  const scheme = /^(https?|wss?|unix|pipe):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return t('The "url" must begin with https:, http:, wss:, ws:, unix:, or pipe:.');
  const isSocketPath = scheme === 'unix' || scheme === 'pipe';
  if (isSocketPath && !/^[a-z]+:\/\/\/[^#?]/i.test(url))
    return t(
      'A "url" that begins with {0}: needs three slashes and a path, for example {1}.',
      scheme,
      scheme === 'unix' ? 'unix:///run/server.sock#/mcp' : 'pipe:///name',
    );
  if (type === 'ws' && !scheme.startsWith('ws'))
    return t('A server of type "ws" needs a "url" that begins with wss: or ws:.');
  if (type === 'socket' && !isSocketPath)
    return t('A server of type "socket" needs a "url" that begins with unix:/// or pipe:///.');
  // A part after # or ? is meant for an HTTP request, so this entry probably expects HTTP.
  if (type === 'socket' && /[?#]/.test(url))
    return t(
      'The "url" of a server of type "socket" cannot have a part after # or ?. Remove it, or change the type to "http".',
    );
  if (isSocketPath || url.includes('${')) return undefined;
  const parsed = /^[a-z]+:\/\/[^/]/i.test(url) ? parsedUrl(url) : undefined;
  if (!parsed) return t('The "url" must be a complete URL, for example https://example.com/mcp.');
  if (!url.includes('@')) return undefined;
  const { username, password } = parsed;
  return username === '' && password === ''
    ? undefined
    : t('The "url" cannot contain a user name or password. Put them into "headers".');
}
