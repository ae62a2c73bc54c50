import { parse } from 'yaml';

/**
 * Parses the front matter of a `SKILL.md`. Throws when it is not valid YAML. In its own file, so that the parser is
 * loaded only when the first skill is opened.
 */
export function parseFrontMatter(source: string): unknown {
  return parse(source, { logLevel: 'error' });
}
