import { parseYaml, yamlExcess } from '../schema/boundedYaml.js';

/** A front matter has a name, a description, and few other fields. */
const limits = { length: 100_000, depth: 20, tokens: 20_000 } as const;

/**
 * Parses the front matter of a `SKILL.md`. Throws if it is not valid YAML or exceeds a limit. The function is in a
 * separate file, so that the parser is loaded only when the first skill is opened.
 */
export function parseFrontMatter(source: string): unknown {
  if (yamlExcess(source, limits) !== undefined) throw new Error('The front matter is too large.');
  const { document, errors, hasMore } = parseYaml(source);
  const [error] = errors;
  if (error) throw error;
  if (hasMore) throw new Error('The front matter has several documents.');
  return document?.toJS() as unknown;
}
