import type { ConnectionState } from '../../connection/serverConnection.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import { failureLogLine } from '../failure/failureText.js';
import { inEnglish } from '../text/language.js';
import { remarkText } from '../text/remarkText.js';

/** A server as scripts and other extensions receive it: plain data, without secrets, with stable field names. */
export interface ServerSummary {
  /** The `server` argument of every command and call. */
  server: string;
  state: ConnectionState['kind'];
  isEnabled: boolean;
  /** Whether the definition has changed since the start. */
  needsRestart: boolean;
  /** The source of the definition: `.vscode/mcp.json`, `User settings`. */
  source: string;
  /** The reason for a failure with advice, the cause of the wait, or the remark about a start in progress. */
  reason?: string;
  /** While running: the protocol revision, the names of its tools and prompts, and the URIs of its resources. */
  protocolVersion?: string;
  tools?: string[];
  resources?: string[];
  resourceTemplates?: string[];
  prompts?: string[];
  /** Declared lists that could not be loaded. The fields above contain empty lists for them. */
  failedLists?: { list: 'tools' | 'resources' | 'prompts'; reason: string }[];
  /** The URIs of its skills, if the server has skills. */
  skills?: string[];
}

/** The summary of a server that commands and the API return. */
export function summarizeServer(view: ServerView): ServerSummary {
  const { id, entry, state, features, needsRestart } = view;
  const reason = reasonOf(view);
  return {
    server: id,
    state: state.kind,
    isEnabled: entry.isEnabled,
    needsRestart,
    source: entry.source.label,
    ...(reason === undefined ? {} : { reason }),
    ...(features
      ? {
          protocolVersion: features.identity.revision,
          tools: features.tools.map((tool) => tool.name),
          resources: features.resources.map((resource) => resource.uri),
          resourceTemplates: features.resourceTemplates.map((template) => template.uriTemplate),
          prompts: features.prompts.map((prompt) => prompt.name),
          ...(features.failedLists
            ? { failedLists: features.failedLists.map(({ list, reason: why }) => ({ list, reason: why })) }
            : {}),
          ...(features.skills ? { skills: features.skills.entries.map((skill) => skill.uri) } : {}),
        }
      : {}),
  };
}

function reasonOf({ id, state }: ServerView): string | undefined {
  switch (state.kind) {
    case 'failed':
    case 'needsSignIn':
      return failureLogLine(state.error, id);
    case 'needsTrust':
    case 'needsInput':
      return state.error.message;
    case 'starting': {
      const { remark } = state;
      return remark && inEnglish(() => remarkText(remark).what);
    }
    default:
      return undefined;
  }
}
