import { visibleLine } from '../base/hostileText.js';

/**
 * Rules about calls of tools: which calls are made without a question, which are asked about and which are never made.
 * What a rule does not name it does not look at; a rule that names nothing is about every call.
 */

export const effects = ['allow', 'ask', 'deny'] as const;
export type Effect = (typeof effects)[number];

/**
 * Who wants a call made.
 * - `user`: a person, by a click or key that leads to this very call.
 * - `model`: a language model, in a chat.
 * - `app`: a page that a server brought along.
 * - `task`: a task, which the files of a workspace can define.
 * - `script`: a command of ours where nobody knows who ran it: a keybinding, an input of a task, another extension or its use of
 *   the API, and clicks that VS Code does not tell apart from those.
 */
export const callers = ['user', 'model', 'app', 'task', 'script'] as const;
export type Caller = (typeof callers)[number];

/** How long a rule counts: until the window closes, for this workspace, or for the user everywhere. */
export const lifetimes = ['session', 'workspace', 'always'] as const;
export type Lifetime = (typeof lifetimes)[number];

/**
 * Where a rule is written. `workspaceFile` is what a workspace brings along (its settings): such rules can ask and deny,
 * never allow.
 */
export type RuleSource = Lifetime | 'workspaceFile';

/**
 * What the value at one place of the arguments has to be. Texts are compared as a whole. In a `wildcard`, `*` stands for any
 * text, also across `/`, and `?` for one character.
 */
export type ArgumentTest = { equals: unknown } | { wildcard: string } | { matches: string };

export interface Rule {
  effect: Effect;
  /** Our id of the server. */
  server?: string;
  /** A name, or a pattern with `*` and `?`. */
  tool?: string;
  /**
   * What the server says of the tool. Unless the user believes it, nothing is allowed by it, and nothing escapes what
   * a tool without hints would be under.
   */
  annotations?: { readOnly?: boolean; destructive?: boolean };
  /** Tests by JSON Pointer into the arguments; all have to hold. */
  arguments?: Readonly<Record<string, ArgumentTest>>;
  callers?: readonly Caller[];
  /** Hash of what was approved, the server's and the tool's definition: the rule ends to count with either. */
  approval?: string;
}

/** A rule at its place. */
export interface PlacedRule {
  rule: Rule;
  source: RuleSource;
  /** Index in the list that it is written in. */
  index: number;
  /** Why parts of it do not count. Such a rule allows nothing, and asks or denies where its readable parts fit. */
  problem?: string;
  /** A test is written as `glob`, the name of `wildcard` before. It means the same. */
  hasFormerName?: true;
}

/** A rule as one line: for the audit log, errors and the line of the Rules view. */
export function ruleText({
  effect,
  server,
  tool,
  annotations = {},
  arguments: tests = {},
  callers,
  approval,
}: Rule): string {
  const parts = [
    effect,
    tool === undefined ? 'any tool' : `"${visibleLine(tool, 80)}"`,
    server === undefined ? 'of any server' : `of "${visibleLine(server, 80)}"`,
  ];
  if (annotations.readOnly !== undefined)
    parts.push(annotations.readOnly ? 'that only reads' : 'that may change something');
  if (annotations.destructive !== undefined)
    parts.push(annotations.destructive ? 'that may destroy' : 'that destroys nothing');
  const places = Object.entries(tests).map(([pointer, test]) => {
    const [[how, what] = ['', '']] = Object.entries(test);
    return `${pointer === '' ? 'all' : visibleLine(pointer, 60)} ${how} ${visibleLine(JSON.stringify(what) ?? '', 80)}`;
  });
  if (places.length > 0) parts.push(`where ${places.join(' and ')}`);
  if (callers) parts.push(`for ${callers.join(', ')}`);
  if (approval !== undefined) parts.push('as it was approved');
  return parts.join(' ');
}
