import type { ConnectionState } from '../../connection/serverConnection.js';
import type { ServerView } from '../../catalog/hostApi.js';
import { failureLogLine } from '../failure/failureText.js';
import { inEnglish } from '../text/language.js';
import { remarkText } from '../text/remarkText.js';

/** A server as scripts and other extensions see it: plain data, no secrets, stable field names. */
export interface ServerSummary {
  /** What every command and call takes as `server`. */
  server: string;
  state: ConnectionState['kind'];
  isEnabled: boolean;
  /** The definition changed since it was started. */
  needsRestart: boolean;
  /** Where it is defined: `.vscode/mcp.json`, `User settings`. */
  source: string;
  /** Why it failed and what to do, what it waits for, or what was noticed of a start that goes on. */
  reason?: string;
  /** While it runs: the protocol revision and the names of what it offers. */
  protocolVersion?: string;
  tools?: string[];
  resources?: string[];
  resourceTemplates?: string[];
  prompts?: string[];
  /** Lists that the server says it has and that could not be had; they are empty above. */
  failedLists?: { list: 'tools' | 'resources' | 'prompts'; reason: string }[];
  /** Addresses, where the server has skills. */
  skills?: string[];
}

export function summarizeServer(view: ServerView): ServerSummary {
  const { id, entry, state, offer, needsRestart } = view;
  const reason = reasonOf(view);
  return {
    server: id,
    state: state.kind,
    isEnabled: entry.isEnabled,
    needsRestart,
    source: entry.source.label,
    ...(reason === undefined ? {} : { reason }),
    ...(offer
      ? {
          protocolVersion: offer.identity.revision,
          tools: offer.tools.map((tool) => tool.name),
          resources: offer.resources.map((resource) => resource.uri),
          resourceTemplates: offer.resourceTemplates.map((template) => template.uriTemplate),
          prompts: offer.prompts.map((prompt) => prompt.name),
          ...(offer.failedLists
            ? { failedLists: offer.failedLists.map(({ list, reason: why }) => ({ list, reason: why })) }
            : {}),
          ...(offer.skills ? { skills: offer.skills.entries.map((skill) => skill.uri) } : {}),
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
      return state.reason;
    case 'starting': {
      const { remark } = state;
      return remark && inEnglish(() => remarkText(remark).what);
    }
    default:
      return undefined;
  }
}
