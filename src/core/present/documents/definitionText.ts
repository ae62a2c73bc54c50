import { t } from '@vscode/l10n';
import { withSortedKeys } from '../../base/jsonText.js';
import type { ToolDefinition } from '../../consent/toolDefinition.js';
import type { Tool } from '../../protocol/mcp.js';
import type { ResultDocument } from '../result/resultPage.js';
import { argumentsText } from '../text/jsonPieces.js';
import { hiddenInTool, hiddenWords } from '../text/hiddenText.js';

/**
 * A definition for a visual comparison: the keys are in a fixed order, and hidden characters are counted and written as
 * escapes.
 */
export function definitionText(definition: ToolDefinition | undefined): string {
  if (!definition) return `// ${t('The approved definition was not stored.')}\n`;
  let json: string;
  try {
    json = argumentsText(withSortedKeys(definition, maxDepth) as object);
  } catch {
    return `// ${t('This definition cannot be written as JSON.')}\n`;
  }
  const hidden = hiddenInTool(definition);
  const note =
    hidden === 0 ? '' : `// ${t('Warning: the definition contains {0}, shown as escapes', hiddenWords(hidden))}\n`;
  return `${note}${json}\n`;
}

const maxDepth = 200;

/** The name, input schema and output schema of a tool as sent by the server, with hidden characters made visible. */
export function schemaDocument({ name, inputSchema, outputSchema }: Tool): ResultDocument {
  const text = argumentsText({ name, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) });
  return { languageId: 'json', length: text.length, pieces: () => [text] };
}
