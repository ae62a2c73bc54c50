import { visibleLine } from '../base/hostileText.js';

/**
 * Rules about tool calls: which calls are allowed without asking, which need one, and which are denied. A field
 * that a rule omits matches any call. Rules that allow have two exceptions: a rule matches calls of agents only if it
 * names them, and calls to a server of a workspace only if it has an `approval`.
 */

export const effects = ['allow', 'ask', 'deny'] as const;
export type Effect = (typeof effects)[number];

/**
 * The caller of a tool.
 * - `user`: the user, who clicked or pressed a key for exactly this call.
 * - `model`: a language model, in a chat.
 * - `app`: a page that a server provides.
 * - `task`: a task, which workspace files can define.
 * - `script`: a command of MCP Deck with an unknown caller. It may be a keybinding, an input of a task, another
 *   extension (through a command or the API), or a click that VS Code does not distinguish from these.
 * - `agent`: a client of the gateway, which is a program outside of VS Code.
 */
export const callers = ['user', 'model', 'app', 'task', 'script', 'agent'] as const;
export type Caller = (typeof callers)[number];

/** How the user may have started a call of the caller `script`: by a command, or by a message to `@deck`. */
export type WayOfStart = 'command' | 'chat';

/**
 * The lifetime of a rule: until the window closes, permanently in this workspace, or permanently in all workspaces of
 * the user.
 */
export const lifetimes = ['session', 'workspace', 'always'] as const;
export type Lifetime = (typeof lifetimes)[number];

/**
 * Where a rule is defined. `workspaceFile` is the settings of a workspace: such rules can ask and deny, but never
 * allow.
 */
export type RuleSource = Lifetime | 'workspaceFile';

/**
 * The required value of one argument. Texts are compared as a whole. In a `wildcard`, `*` matches any text, including
 * `/`, and `?` one character.
 */
export type ArgumentTest = { equals: unknown } | { wildcard: string } | { matches: string };

export interface Rule {
  effect: Effect;
  /** ID of the server. */
  server?: string;
  /** A name, or a pattern with `*` and `?`. */
  tool?: string;
  /**
   * The hints of the server about the tool. Hints of a server that the user does not trust never make a rule allow a
   * call. They also do not exempt a tool from rules that match tools without hints.
   */
  annotations?: { readOnly?: boolean; destructive?: boolean };
  /** Tests of arguments, by JSON Pointer into the arguments. All tests must pass. */
  arguments?: Readonly<Record<string, ArgumentTest>>;
  callers?: readonly Caller[];
  /**
   * Names of clients of the gateway, compared as a whole: as the client states them, or as questions show them. The
   * rule then applies to the caller `agent` only if the client has one of these names. Without `callers`, the rule
   * applies to agents only. The client chooses its own name, and the name is not verified.
   */
  clients?: readonly string[];
  /** Hash of the approved definitions of server and tool. The rule becomes invalid if either definition changes. */
  approval?: string;
}

/** The callers of an approval that names none. */
const callersOfApproval: readonly Caller[] = ['user'];
const onlyAgents: readonly Caller[] = ['agent'];
const allButAgents: readonly Caller[] = callers.filter((caller) => caller !== 'agent');

/**
 * The callers that the text of a rule names; undefined if it names none. An earlier version stored approvals without
 * `callers`. The kind of caller that the user allowed is then unknown, so such an approval applies only to calls of the
 * user.
 */
export function namedCallersOf({ effect, approval, callers: named, clients }: Rule): readonly Caller[] | undefined {
  if (named) return named;
  if (clients) return onlyAgents;
  return effect === 'allow' && approval !== undefined ? callersOfApproval : undefined;
}

/**
 * The callers that a rule applies to; undefined for all. Agents are programs outside of VS Code, so a rule allows them
 * only if it names them in `callers` or `clients`.
 */
export function callersOf(rule: Rule): readonly Caller[] | undefined {
  return namedCallersOf(rule) ?? (rule.effect === 'allow' ? allButAgents : undefined);
}

/** A rule with its source. */
export interface PlacedRule {
  rule: Rule;
  source: RuleSource;
  /** The index of the rule in its list. */
  index: number;
  /** Why parts of the rule are invalid. Such a rule never allows a call. It asks or denies if its valid parts match. */
  problem?: string;
  /** Whether a test uses `glob`, the former name of `wildcard`. The meaning is the same. */
  hasFormerName?: true;
}

/** A rule as one line: for the audit log, errors and the Rules view. */
export function ruleText(rule: Rule): string {
  const { effect, server, tool, annotations = {}, arguments: tests = {}, clients, approval } = rule;
  const named = namedCallersOf(rule);
  const parts = [
    effect,
    tool === undefined ? 'any tool' : `"${visibleLine(tool, 80)}"`,
    server === undefined ? 'of any server' : `of "${visibleLine(server, 80)}"`,
  ];
  if (annotations.readOnly !== undefined)
    parts.push(annotations.readOnly ? 'that only reads' : 'that may change something');
  if (annotations.destructive !== undefined)
    parts.push(annotations.destructive ? 'that may destroy something' : 'that destroys nothing');
  const places = Object.entries(tests).map(([pointer, test]) => {
    const [[how, what] = ['', '']] = Object.entries(test);
    return `${pointer === '' ? 'all' : visibleLine(pointer, 60)} ${how} ${visibleLine(JSON.stringify(what) ?? '', 80)}`;
  });
  if (places.length > 0) parts.push(`where ${places.join(' and ')}`);
  if (named) parts.push(`for ${named.join(', ')}`);
  if (clients) parts.push(`from ${clients.map((name) => `"${visibleLine(name, 80)}"`).join(', ')}`);
  if (approval !== undefined) parts.push('as it was approved');
  return parts.join(' ');
}
