import { t } from '@vscode/l10n';
import { visibleName } from '../../base/visibleName.js';
import { dialogPart } from '../text/lines.js';
import type { Preset } from '../../presets/presetFile.js';

/** The content of a preset as text: one line for its servers, and one for each list of tools. */
function presetText({ servers, tools }: Preset): string {
  const names = (list: readonly string[]) =>
    list.length === 0 ? t('none') : list.map((name) => `"${visibleName(name, Infinity)}"`).join(', ');
  const lists = Object.entries(tools).map(([server, list]) =>
    t('Tools of {0}: {1}', `"${visibleName(server, Infinity)}"`, names(list)),
  );
  return [t('Servers: {0}', names(servers)), ...lists].join('\n');
}

/**
 * The question before an edit of the active preset turns on more servers or tools. Shows both versions of the preset.
 * @returns `whole` with both versions if they do not fit into the dialog. The user must see it before they agree.
 */
export function presetEditQuestion(
  active: Preset,
  written: Preset,
): { message: string; detail: string; whole: string | undefined } {
  const text = [
    `${t('Approved')}\n${presetText(active)}`,
    `${t('Now in the file')}\n${presetText(written)}`,
    t('Until you apply the changes, only the servers and tools that both versions turn on are available.'),
  ].join('\n\n');
  const detail = dialogPart(text);
  return {
    message: t('Apply the changes to the preset "{0}"? They turn on more servers or tools.', visibleName(active.name)),
    detail,
    whole: detail === text ? undefined : text,
  };
}
