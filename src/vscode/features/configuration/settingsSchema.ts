import type { ExtensionServices } from '../../ui/services.js';
import type { SettingKey } from '../../manifest.js';

/** The schema of a server in the user's language. Settings, files, and forms use the same schema. */
export function settingsSchema(deck: Pick<ExtensionServices, 'extension'>): unknown {
  const { contributes } = deck.extension.extension.packageJSON as {
    contributes: { configuration: readonly { properties: Record<string, { additionalProperties?: unknown }> }[] };
  };
  const key = 'mcpDeck.servers' satisfies SettingKey;
  return contributes.configuration.map(({ properties }) => properties[key]).find((property) => property !== undefined)
    ?.additionalProperties;
}
