/**
 * Limits for YAML of unknown origin. The parser of `yaml` is recursive and collects every error, and its time and
 * memory grow faster than the length of the text. So the text is divided into tokens first, in linear time, and a text
 * that exceeds a limit is not parsed. Even then, one token can contain an error at every second character, so parsing
 * stops after a number of errors.
 */
import type { Document, DocumentOptions, ParseOptions, ParsedNode, SchemaOptions, YAMLParseError } from 'yaml';
import { Composer, Lexer, Parser } from 'yaml';

export interface YamlLimits {
  /** Maximum length, in UTF-16 code units. */
  length: number;
  /** Maximum nesting: of brackets, and of `-` and `?` on one line. */
  depth: number;
  /** Maximum number of tokens; a key with its value has about four. */
  tokens: number;
}

export interface ParsedYaml {
  /** The first document of the text; undefined if the text has too many errors. */
  document: Document.Parsed<ParsedNode> | undefined;
  /** The first errors, at most `maxErrors`. */
  errors: readonly YAMLParseError[];
  /** Whether another document follows, which is not parsed. */
  hasMore: boolean;
}

/** Maximum number of errors of one text. Each error takes about 20 µs and keeps its stack in memory. */
const maxErrors = 100;

class TooManyErrors extends Error {}

/**
 * Parses the first document of a text, like `parseDocument` of `yaml`, but stops after 100 errors.
 * @throws RangeError if the text is nested too deeply for the parser. `yamlExcess` detects most of these texts
 * beforehand.
 */
export function parseYaml(text: string, options: ParseOptions & DocumentOptions & SchemaOptions = {}): ParsedYaml {
  const composer = new Composer<ParsedNode>(options);
  // The parser has no option for a limit. All of its errors go through this function.
  const composed = composer as unknown as { onError: (...error: unknown[]) => void; errors: YAMLParseError[] };
  const { onError } = composed;
  let count = 0;
  composed.onError = (...error) => {
    // The parser catches this error and reports it here as one more error, so it is thrown again.
    if (++count > maxErrors) throw new TooManyErrors();
    onError(...error);
  };
  try {
    let document: Document.Parsed<ParsedNode> | undefined;
    const tokens = new Parser(options.lineCounter?.addNewLine).parse(text);
    for (const one of composer.compose(tokens, true, text.length)) {
      if (document) return { document, errors: document.errors, hasMore: true };
      document = one;
    }
    return { document, errors: document?.errors ?? [], hasMore: false };
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
    return { document: undefined, errors: composed.errors, hasMore: false };
  }
}

/** The limit that a text exceeds; undefined if it can be parsed. Never throws. */
export function yamlExcess(text: string, limits: YamlLimits): keyof YamlLimits | undefined {
  if (text.length > limits.length) return 'length';
  let brackets = 0;
  let indicators = 0;
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > limits.tokens) return 'tokens';
    const first = token[0];
    if (first === '[' || first === '{') brackets++;
    else if (first === ']' || first === '}') brackets--;
    else if ((first === '-' || first === '?') && token.length === 1) indicators++;
    else if (first === '\n' || first === '\r') indicators = 0;
    if (brackets + indicators > limits.depth) return 'depth';
  }
  return undefined;
}
