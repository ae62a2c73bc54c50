/** The schemas of a tool as a JSON document. */
import type { Tool } from '../../protocol/mcp.js';
import type { ResultDocument } from '../result/resultPage.js';
import { argumentsText } from '../text/jsonPieces.js';

/** The name, input schema and output schema of a tool as sent by the server, with hidden characters made visible. */
export function schemaDocument({ name, inputSchema, outputSchema }: Tool): ResultDocument {
  const text = argumentsText({ name, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) });
  return { languageId: 'json', length: text.length, pieces: () => [text] };
}
