import type { Prompt, Resource, ResourceTemplate, Tool } from '../../../protocol/mcp.js';
import type { FailedList } from '../../../catalog/serverFeatures.js';

/**
 * How serious a finding is. With an error, the server violates the protocol or the tool cannot be used; with a warning,
 * the tool can fail with some hosts or models.
 */
export type LintSeverity = 'error' | 'warning' | 'info';

/** The subject of a finding. The name comes from the server and is untrusted. */
export interface LintTarget {
  kind: 'server' | 'tool' | 'resource' | 'template' | 'prompt';
  name: string;
}

/** Everything that the rules look at. All of it is untrusted. */
export interface LintSubject {
  /** The name of the server in its configuration. */
  server: string;
  /** The instructions of the server for models. */
  instructions?: string | undefined;
  tools: readonly Tool[];
  resources: readonly Resource[];
  resourceTemplates: readonly ResourceTemplate[];
  prompts: readonly Prompt[];
  failedLists: readonly FailedList[];
  /** The results of the probing requests; absent if none were sent. */
  probes?: ServerProbes | undefined;
}

/** The results of requests that run no tool. */
export interface ServerProbes {
  /** The names of the first page of `tools/list`, in two consecutive listings. */
  firstOrder: readonly string[];
  secondOrder: readonly string[];
  /** How the server answered a call of a tool that does not exist. */
  unknownTool: 'error' | 'errorWithoutText' | 'success' | 'noAnswer' | 'notTried';
}

/** One place in a schema of a tool. */
export interface SchemaPlace {
  schema: Readonly<Record<string, unknown>>;
  /** JSON Pointer (RFC 6901) from the tool, such as `/inputSchema/properties/path`. */
  pointer: string;
  part: 'inputSchema' | 'outputSchema';
  /** The name of the property that the schema describes; absent for items and other subschemas. */
  property?: string;
  /** Number of objects and lists around this schema; 0 for the root, 1 for a parameter. */
  depth: number;
}

/** A violation of a rule: its message, and its place in the tool. */
export interface Violation {
  /** A complete sentence with all untrusted text made visible. */
  message: string;
  /** JSON Pointer from the tool; absent if the finding is about the whole item. */
  pointer?: string | undefined;
  /** Default: the item that was checked. */
  target?: LintTarget;
}

interface RuleHead {
  /** Unique; also the anchor of the rule in docs/check-rules.md. */
  id: string;
  severity: LintSeverity;
}

/** A rule that looks at the whole server. */
export interface ServerRule extends RuleHead {
  on: 'server';
  check(subject: LintSubject): Iterable<Violation>;
}

/** A rule that looks at one tool at a time. */
export interface ToolRule extends RuleHead {
  on: 'tool';
  check(tool: Tool): Iterable<Violation | string>;
}

/** A rule that looks at one place in the schemas of a tool at a time. */
export interface SchemaRule extends RuleHead {
  on: 'schema';
  check(place: SchemaPlace, tool: Tool): Iterable<string>;
}

export type LintRule = ServerRule | ToolRule | SchemaRule;

export interface Finding {
  rule: string;
  severity: LintSeverity;
  message: string;
  target: LintTarget;
  pointer?: string | undefined;
}

/** A rule about the whole server. */
export function serverRule(id: string, severity: LintSeverity, check: ServerRule['check']): LintRule {
  return { id, severity, on: 'server', check };
}

/** A rule about each tool. */
export function toolRule(id: string, severity: LintSeverity, check: ToolRule['check']): LintRule {
  return { id, severity, on: 'tool', check };
}

/** A rule about each place in the schemas of each tool. */
export function schemaRule(id: string, severity: LintSeverity, check: SchemaRule['check']): LintRule {
  return { id, severity, on: 'schema', check };
}
