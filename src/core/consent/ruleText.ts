import { visibleLine } from '../base/hostileText.js';
import type { Rule } from './rule.js';

/** A rule as one line: for the audit log, errors and the line of the Rules view. */
export function ruleText({ effect, server, tool, annotations = {}, arguments: tests = {}, callers, approval }: Rule): string {
  const parts = [effect, tool === undefined ? 'any tool' : `"${visibleLine(tool, 80)}"`, server === undefined ? 'of any server' : `of "${visibleLine(server, 80)}"`];
  if (annotations.readOnly !== undefined) parts.push(annotations.readOnly ? 'that only reads' : 'that may change something');
  if (annotations.destructive !== undefined) parts.push(annotations.destructive ? 'that may destroy' : 'that destroys nothing');
  const places = Object.entries(tests).map(([pointer, test]) => {
    const [[how, what] = ['', '']] = Object.entries(test);
    return `${pointer === '' ? 'all' : visibleLine(pointer, 60)} ${how} ${visibleLine(JSON.stringify(what) ?? '', 80)}`;
  });
  if (places.length > 0) parts.push(`where ${places.join(' and ')}`);
  if (callers) parts.push(`for ${callers.join(', ')}`);
  if (approval !== undefined) parts.push('as it was approved');
  return parts.join(' ');
}
