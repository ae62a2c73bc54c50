/** The cost of the definition of a tool in every request to a model, in tokens of `o200k_base`. */
import { t } from '@vscode/l10n';
import { jsonText } from '../../base/jsonText.js';
import { runInSlices } from '../../base/timeSlice.js';
import { valueCost } from '../../base/valueCost.js';
import type { Tool } from '../../protocol/mcp.js';

/** Counts the tokens of texts. `o200k.ts` has the encoding, which is loaded on demand. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>;

/** Maximum memory of a definition whose tokens are counted (`valueCost`), in bytes. A larger one is estimated. */
const maxDefinition = 4_000_000;
const bytesPerToken = 4;
/** Number of counted characters after which the tokens of the remaining tools are extrapolated. */
const maxTogether = 500_000;

interface Cost {
  tokens: number;
  /** The number of characters that were counted. */
  length: number;
}

/** The costs of tools. A list of tools is replaced, never modified, so the cost of a tool stays valid. */
const known = new WeakMap<Tool, Cost>();

/**
 * The total number of tokens of the tools; undefined before they were counted. The number is extrapolated if only the
 * first half million characters were counted.
 */
export function knownTokens(tools: readonly Tool[]): number | undefined {
  let [tokens, characters, count] = [0, 0, 0];
  for (const tool of tools) {
    const cost = known.get(tool);
    if (!cost || characters > maxTogether) break;
    tokens += cost.tokens;
    characters += cost.length;
    count++;
  }
  if (count === tools.length) return tokens;
  return characters > maxTogether ? Math.round((tokens / count) * tools.length) : undefined;
}

/** The cost of tools for a model. Undefined if there are none, or before they were counted. */
export function tokensText(tools: readonly Tool[]): string | undefined {
  const tokens = knownTokens(tools);
  if (tools.length === 0 || tokens === undefined) return undefined;
  return t('about {0} tokens in each request to a model', tokens.toLocaleString('en'));
}

/**
 * Counts what a model reads of tools: the names, the descriptions, and the input schemas.
 * @param isWhole whether all tools are counted. By default, only the tools of the first half million characters are
 * counted, which is enough for `knownTokens`.
 */
export async function countTools(tools: readonly Tool[], count: CountTokens, isWhole = false): Promise<void> {
  const missing = await runInSlices(missingTexts(tools, isWhole));
  const counts = missing.length === 0 ? [] : await count(missing.map(({ text }) => text));
  for (const [index, { tool, text }] of missing.entries())
    known.set(tool, { tokens: counts[index] ?? 0, length: text.length });
}

/** The texts of the tools that were not counted yet. For a tool that is too large to be counted, stores an estimate. */
function* missingTexts(tools: readonly Tool[], isWhole: boolean): Generator<void, { tool: Tool; text: string }[]> {
  const missing: { tool: Tool; text: string }[] = [];
  let characters = 0;
  for (const tool of tools) {
    if (characters > maxTogether && !isWhole) break;
    let length = known.get(tool)?.length;
    if (length === undefined) {
      const text = countedText(tool);
      if (text === undefined) known.set(tool, { tokens: maxDefinition / bytesPerToken, length: maxTogether });
      else missing.push({ tool, text });
      length = text?.length ?? maxTogether;
      yield;
    }
    characters += length;
  }
  return missing;
}

/**
 * The text that a model reads; undefined if it is too large. It is empty if JSON cannot express the definition, because
 * no model can receive it.
 */
function countedText({ name, description, inputSchema }: Tool): string | undefined {
  const definition = { name, description, parameters: inputSchema };
  if (valueCost(definition, maxDefinition) > maxDefinition) return undefined;
  try {
    return jsonText(definition);
  } catch {
    return '';
  }
}
