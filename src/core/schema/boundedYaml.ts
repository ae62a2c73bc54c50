/**
 * Limits for YAML of unknown origin. The parser of `yaml` is recursive, collects every error, and needs far more time
 * and memory than the text is long. So the text is divided into tokens first, in linear time, and a text that exceeds a
 * limit is not parsed.
 */
import { Lexer } from 'yaml';

export interface YamlLimits {
  /** Maximum length, in UTF-16 units. */
  length: number;
  /** Maximum number of brackets, and of `-` and `?` on one line, that contain each other. */
  depth: number;
  /** Maximum number of tokens; a key with its value has about four. */
  tokens: number;
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
