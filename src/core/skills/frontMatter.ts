import { parse } from 'yaml';

/**
 * The front matter of a `SKILL.md` as a value. Throws where it is no YAML. A file of its own, so that the parser is
 * loaded by the first skill that is opened.
 */
export function parseFrontMatter(source: string): unknown {
  return parse(source, { logLevel: 'error' });
}
