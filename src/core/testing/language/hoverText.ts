import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import { isObject } from '../../base/guards.js';
import { cursorPlace } from './cursorPlace.js';
import type { LiveServers } from './liveServer.js';
import { liveServerOf, propertiesOf, requiredOf } from './liveServer.js';
import type { YamlNode } from '../yamlTree.js';
import { keysOf, placeOf } from './testKeys.js';

/** The text of a hover, and the part of the line that it is about. Not Markdown. */
export interface HoverText {
  text: string;
  start: number;
  end: number;
}

/** Maximum length of a hover, in characters. */
const maxText = 4_000;

/**
 * The hover at a position; undefined if there is nothing to show. Lines and characters begin at 0.
 *
 * @param readRoot reads the values of the file. Called only if the hover needs them. A window reads in a worker thread.
 */
export async function hoverAt(
  text: string,
  { line, character }: { line: number; character: number },
  servers: LiveServers,
  readRoot: () => Promise<YamlNode | undefined>,
): Promise<HoverText | undefined> {
  const lines = text.split(/\r?\n/);
  const found = wordAt(lines[line] ?? '', character);
  if (!found) return undefined;
  const { word, start, end, isKey } = found;
  const place = cursorPlace(lines, line, start);
  const map = placeOf(place.path);
  if (isKey) {
    const keys = map && keysOf(map);
    return keys && Object.hasOwn(keys, word) ? { text: keys[word] ?? '', start, end } : undefined;
  }
  if (place.key !== 'call' || (map !== 'case' && map !== 'step')) return undefined;
  const tool = liveServerOf(await readRoot(), servers)?.tools.find(({ name }) => name === word);
  if (!tool) return undefined;
  const required = requiredOf(tool.inputSchema);
  const parameters = Object.entries(propertiesOf(tool.inputSchema)).map(([name, schema]) => {
    const type = isObject(schema) && typeof schema['type'] === 'string' ? `: ${visibleLine(schema['type'], 40)}` : '';
    return `${visibleLine(name, 60)}${type}${required.includes(name) ? ` (${t('required')})` : ''}`;
  });
  const shown = visibleText([tool.description ?? '', ...parameters].filter((part) => part !== '').join('\n'), maxText);
  return shown === '' ? undefined : { text: shown, start, end };
}

/** The key or the value at a character. */
function wordAt(
  line: string,
  character: number,
): { word: string; start: number; end: number; isKey: boolean } | undefined {
  for (const match of line.matchAll(/"([^"]*)"|'([^']*)'|[^\s,:[\]{}#"']+(?::[^\s,[\]{}]+)*/g)) {
    const start = match.index;
    const end = start + match[0].length;
    if (character < start || character > end || match[0] === '-') continue;
    return { word: match[1] ?? match[2] ?? match[0], start, end, isKey: /^\s*:(?:\s|$)/.test(line.slice(end)) };
  }
  return undefined;
}
