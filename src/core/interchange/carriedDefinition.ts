import type { InputDefinition } from '../config/serverDefinition.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { ownFormats } from './appFormats.js';
import type { CarriedServer } from './carried.js';
import { readText } from './notation.js';
import { mapServerTexts } from './texts.js';

/** A server of ours, ready to be written elsewhere: what its file says, the fields included that we do not use. */
export function carriedDefinition({ name, definition, source, isEnabled }: Pick<ServerEntry, 'name' | 'definition' | 'source' | 'isEnabled'>): CarriedServer {
  const { extra = {}, type, ...rest } = definition;
  const isEmpty = (value: unknown) => value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  const written = Object.entries(rest).filter(([, value]) => !isEmpty(value));
  const fields = { ...(type === 'auto' || type === 'stdio' ? {} : { type }), ...Object.fromEntries(written), ...(isEnabled ? {} : { disabled: true }), ...extra };
  const inputs = new Map<string, InputDefinition>();
  const format = { ...ownFormats[source.kind === 'portable' ? 'portable' : 'vscode'], id: 'vscode' as const };
  return { name, fields: mapServerTexts(fields, (text) => readText(text, format, inputs).text) };
}
