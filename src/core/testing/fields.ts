import { t } from '@vscode/l10n';
import { nearestName } from '../base/editDistance.js';
import { visibleLine } from '../base/hostileText.js';
import type { FileProblem, FilePlace, YamlNode } from './yamlTree.js';

/** Maximum number of problems that are reported. A hostile file can have one in every value. */
const maxProblems = 100;

/** Reads the fields of a file and collects the problems, each with its position. */
export class Fields {
  readonly problems: FileProblem[] = [];

  report({ line, column }: FilePlace, message: string): void {
    if (this.problems.length < maxProblems) this.problems.push({ line, column, message });
  }

  /** The members of a map with these keys. Reports other keys with the nearest known one, and values of other types. */
  map<Key extends string>(node: YamlNode, known: readonly Key[], what: string): Partial<Record<Key, YamlNode>> {
    const found: Partial<Record<Key, YamlNode>> = {};
    if (!node.entries) this.report(node, t('{0} must be a map of keys and values.', what));
    for (const { key, node: value, ...place } of node.entries ?? []) {
      if (isOneOf(key, known)) found[key] = value;
      else this.report(place, unknownKey(key, known));
    }
    return found;
  }

  /** The items of a list. */
  list(node: YamlNode | undefined, what: string): readonly YamlNode[] {
    if (!node) return [];
    if (!node.items) this.report(node, t('{0} must be a list.', what));
    return node.items ?? [];
  }

  text(node: YamlNode | undefined, what: string): string | undefined {
    if (!node) return undefined;
    if (typeof node.value === 'string') return node.value;
    this.report(node, t('{0} must be a string. Put other values in quotes.', what));
    return undefined;
  }

  texts(node: YamlNode | undefined, what: string): string[] {
    if (node && typeof node.value === 'string') return [node.value];
    return this.list(node, what).flatMap((item) => this.text(item, what) ?? []);
  }

  /** A map with any keys. */
  object(node: YamlNode | undefined, what: string): Record<string, unknown> | undefined {
    if (!node) return undefined;
    if (node.entries) return node.value as Record<string, unknown>;
    this.report(node, t('{0} must be a map of keys and values.', what));
    return undefined;
  }

  /** A duration such as `200ms`, `10s` or `2m`, in milliseconds. */
  duration(node: YamlNode | undefined, what: string): number | undefined {
    if (!node) return undefined;
    const ms = durationOf(node.value);
    if (ms === undefined) this.report(node, t('{0} must be a duration, such as 200ms, 10s, or 2m.', what));
    return ms;
  }

  /** One of the given texts. */
  choice<Value extends string>(node: YamlNode, values: readonly Value[], what: string): Value | undefined {
    const { value } = node;
    if (typeof value === 'string' && isOneOf(value, values)) return value;
    this.report(node, t('{0} must be one of: {1}.', what, values.join(', ')));
    return undefined;
  }
}

function isOneOf<Value extends string>(text: string, values: readonly Value[]): text is Value {
  return (values as readonly string[]).includes(text);
}

/** The sentence about an unknown key, with the nearest known one. */
export function unknownKey(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  const shown = visibleLine(key, 60);
  return nearest === undefined
    ? t('The key "{0}" is not known here. Known keys: {1}.', shown, known.join(', '))
    : t('The key "{0}" is not known here. Did you mean "{1}"?', shown, nearest);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Maximum duration, in milliseconds: one day. Timers of Node.js have a limit. */
const maxDurationMs = 86_400_000;

/** A duration in whole milliseconds, at most one day; undefined if the value is not one. */
export function durationOf(value: unknown): number | undefined {
  const [, number, unit = ''] = typeof value === 'string' ? (/^(\d+(?:\.\d+)?)\s*(ms|s|m)$/.exec(value) ?? []) : [];
  const factor = units[unit];
  const ms = number === undefined || factor === undefined ? NaN : Math.round(Number(number) * factor);
  return ms <= maxDurationMs ? ms : undefined;
}
