import { debuggerFor } from '../../debug/debuggerFor.js';
import type { ServerView } from '../../catalog/hostTypes.js';

/**
 * The `viewItem` strings for the `when` clauses of `package.json`, created only here. The string of a server is `server
 * <state> <enabled|disabled> <source kind>`, e.g. `server running enabled vscode`; `retrying` is the state of a failed
 * server with a planned restart, and `mock` is the source kind of mocks. More words are added: `debuggable` if a
 * debugger is available, `inputs` if the definition has inputs, `recorded` while the server is recorded, `update` if
 * the user can update the server, and `signIn`, `signingIn` or `signedIn` if a user can sign in.
 */
export function serverContextValue(view: ServerView, canUpdate = false): string {
  const { state, entry } = view;
  const word = state.kind === 'failed' && state.retryAt !== undefined ? 'retrying' : state.kind;
  const debug = debuggerFor(entry.definition).kind === 'none' ? '' : ' debuggable';
  const inputs = entry.inputs.length === 0 ? '' : ' inputs';
  const isMock = entry.definition.type === 'builtin' && entry.definition.mock !== undefined;
  const kind = isMock ? 'mock' : entry.source.kind;
  const recorded = view.isRecorded === true ? ' recorded' : '';
  const enabled = entry.isEnabled ? 'enabled' : 'disabled';
  return `server ${word} ${enabled} ${kind}${debug}${inputs}${recorded}${canUpdate ? ' update' : ''}${signInWord(view)}`;
}

function signInWord({ auth }: ServerView): string {
  if (!auth?.isPersonal) return '';
  return auth.state.kind === 'signInNeeded' ? ' signIn' : ` ${auth.state.kind}`;
}

/** Kinds of nodes with a fixed context value. */
export const contextValues = {
  broken: 'broken',
  group: 'group',
  tool: 'tool',
  toolOff: 'tool off',
  toolLeftOut: 'tool leftOut',
  quarantinedTool: 'tool quarantined',
  resource: 'resource',
  pinnedResource: 'resource pinned',
  template: 'template',
  prompt: 'prompt',
  skill: 'skill',
  skillFile: 'skill file',
  note: 'note',
  remark: 'note remark',
  failedList: 'note failedList',
  period: 'period',
  run: 'run',
  favourite: 'favourite',
  request: 'request',
  rule: 'rule',
  workspaceRule: 'rule workspace',
  gateway: 'gateway',
  agent: 'agent',
} as const;
