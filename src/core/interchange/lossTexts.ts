import type { Path } from './portableServer.js';

/**
 * Meanings of the fields of other apps that MCP Deck does not have. Each text ends a sentence that begins with "This
 * field says".
 */
const meanings: Readonly<Record<string, string>> = {
  autoApprove: 'which tools run without asking you; MCP Deck asks until you allow them here',
  alwaysAllow: 'which tools run without asking you; MCP Deck asks until you allow them here',
  trust: 'whether tools run without asking you; MCP Deck asks until you allow them here',
  alwaysLoad: 'which tools a model always sees',
  headersHelper: 'which command generates the headers; write the headers themselves',
  authServerMetadataUrl:
    'where the authorization server is described; MCP Deck detects it, or reads it from "oauth.issuer"',
  remote: 'whether the server runs on the remote machine',
  watchPaths: 'which files restart the server when they change; in MCP Deck, use "dev.watch"',
  remoteConfigured: 'whether an administrator wrote the entry',
  metadata: 'what the app noted about the entry',
  sandboxEnabled: 'whether the server runs in a sandbox; here it runs without one',
  gallery: 'where the entry was installed from',
  version: 'which version was installed',
  apiKey: 'which key is sent; write it as the header "Authorization"',
  requestOptions: 'how requests are sent: proxy and certificates',
  enterpriseManaged: 'that the company provides the sign-in',
  request_timeout_ms: 'how long one HTTP request may take',
  tools: 'which tools are enabled; disable the others in MCP Deck',
  includeTools: 'which tools are enabled; disable the others in MCP Deck',
  enabled_tools: 'which tools are enabled; disable the others in MCP Deck',
  bearer_token_env_var: 'which environment variable contains the token; write it as the header "Authorization"',
  env_http_headers: 'which environment variables contain the values of headers; write them as "headers"',
  settings: 'how the extension that provides the server is configured',
};

/** The message for a field that is not imported. */
export function lostField(field: Path, app: string): string {
  const name = field.find((part) => Object.hasOwn(meanings, part));
  const meaning = name === undefined ? undefined : meanings[name];
  return meaning === undefined
    ? `MCP Deck has no equivalent of this field of ${app}. It was left out.`
    : `This field says ${meaning}. It was left out.`;
}

/**
 * The message for a field of MCP Deck that an app does not support. A field has its own message if leaving it out has
 * an effect: a server or tool that is disabled in MCP Deck would be enabled in the app, or a server would not answer.
 */
export function unwrittenField(path: Path, app: string): string {
  const field = path.length === 1 ? path[0] : undefined;
  if (field === 'disabled')
    return `The server is disabled here, but the file of ${app} cannot disable a server: it will run there.`;
  if (field === 'disabledTools')
    return `The file of ${app} has no such list: the tools that are disabled in MCP Deck will be enabled in ${app}.`;
  if (field === 'framing')
    return `${app} sends one line for each message: a server that reads only messages with Content-Length headers does not answer.`;
  return `${app} has no equivalent of this field. It was left out.`;
}
