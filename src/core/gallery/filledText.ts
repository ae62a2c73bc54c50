/**
 * Fills in the variables of texts in entries and manifests. The length of the result is limited, not only that of the
 * template and of each value, because a template can contain the same variable thousands of times.
 */
import { Unsupported } from './serverJson.js';

/** Maximum length of one text after its variables are filled in, in UTF-16 code units. */
const maxFilledText = 32_000;
/** Maximum length of all texts of a definition together, in UTF-16 code units. */
const maxDefinition = 200_000;

/** A text, or a definition, that is too long after its variables are filled in. */
export class TooLong extends Unsupported {}

/**
 * Replaces each variable that has a value, once: variables in a value are not replaced.
 * @param variable a global pattern whose first group is the name.
 * @param valueOf called once for each name.
 * @throws TooLong
 */
export function filledText(template: string, variable: RegExp, valueOf: (name: string) => string | undefined): string {
  const known = new Map<string, string | undefined>();
  let { length } = template;
  return template.replace(variable, (whole, name: string) => {
    if (!known.has(name)) known.set(name, valueOf(name));
    const value = known.get(name) ?? whole;
    length += value.length - whole.length;
    if (length > maxFilledText) throw new TooLong();
    return value;
  });
}

/** The values with commas between them. @throws TooLong */
export function joinedValues(values: readonly string[]): string {
  if (totalLength(values) > maxFilledText) throw new TooLong();
  return values.join(',');
}

/** Counts the texts of one definition. */
export class DefinitionLength {
  private length = 0;

  /** The same texts. @throws TooLong if the definition is too long with them. */
  counted(texts: readonly string[]): readonly string[] {
    this.length += totalLength(texts);
    if (this.length > maxDefinition) throw new TooLong();
    return texts;
  }
}

/** The length of all texts with one separator for each, so that empty texts count too. */
function totalLength(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length + 1, 0);
}
