import { parse } from 'yaml';

/**
 * Parses the front matter of a `SKILL.md`. Throws if it is not valid YAML. It is in a separate file, so that the parser
 * is loaded only when the first skill is opened.
 */
export function parseFrontMatter(source: string): unknown {
  return parse(source, { logLevel: 'error' });
}
