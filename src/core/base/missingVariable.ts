/** Finds the name of an environment variable that is missing according to the error output. */

const name = '([A-Z][A-Z0-9_]{2,63})';
/** Requires an underscore in the name, so that other words in capitals do not match. */
const longName = '([A-Z][A-Z0-9]*_[A-Z0-9_]{1,60})';
const quote = '["\'`]?';

const patterns: readonly RegExp[] = [
  new RegExp(`\\b(?:environment|env)[ .-]?(?:variables?|vars?)?\\s?:?\\s?${quote}\\$?\\{?${name}\\b`),
  new RegExp(`\\b${name}${quote} (?:environment|env)\\b`),
  new RegExp(`^KeyError: '${name}'$`),
  new RegExp(
    `\\b${longName}${quote}?\\}? (?:(?:is|are|was|were|has|have) )?(?:not|missing|required|undefined|unset|empty|must|needs|cannot)\\b`,
  ),
  new RegExp(
    `\\b(?:[Mm]issing|[Rr]equire[ds]?|[Ss]et|[Pp]rovide|[Nn]o|[Nn]eeds?|[Ee]xport|[Dd]efine|[Ss]pecify|MISSING)\\b[^A-Z]{0,40}${longName}\\b`,
  ),
];

/**
 * Names that are never returned: error codes, and variables that change what programs run, because the output of a
 * server must not make the user set such variables.
 */
const withheld =
  /^(?:PATH|HOME|SHELL|NODE_OPTIONS|PYTHON(?:PATH|STARTUP|HOME)|BASH_ENV|ENV|LD_\w+|DYLD_\w+|JAVA_TOOL_OPTIONS|RUBYOPT|PERL5OPT|ERR_\w+|MODULE_NOT_FOUND)$/;

/** The first missing variable; undefined if the lines name none. @param lines the lines of a crash report. */
export function missingVariable(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    for (const pattern of patterns) {
      const found = pattern.exec(line.slice(0, 300))?.[1];
      if (found !== undefined && !withheld.test(found)) return found;
    }
  }
  return undefined;
}
