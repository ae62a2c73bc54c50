import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { Preset } from '../../presets/presetFile.js';

/** The content of a preset as text: one line for its servers, and one for each list of tools. */
function presetText({ servers, tools }: Preset): string {
  const names = (list: readonly string[]) =>
    list.length === 0 ? t('none') : list.map((name) => visibleLine(name, 60)).join(', ');
  const lists = Object.entries(tools).map(([server, list]) =>
    t('Tools of {0}: {1}', visibleLine(server, 60), names(list)),
  );
  return [t('Servers: {0}', names(servers)), ...lists].join('\n');
}

/** The question before an edit of the active preset turns more on. Shows both versions of the preset. */
export function presetEditQuestion(active: Preset, written: Preset): { message: string; detail: string } {
  const detail = [
    `${t('Approved')}\n${presetText(active)}`,
    `${t('Now in the file')}\n${presetText(written)}`,
    t('Until you apply the changes, only the servers and tools that both versions turn on are available.'),
  ].join('\n\n');
  return {
    message: t(
      'Apply the changes to the preset "{0}"? They turn on more servers or tools.',
      visibleLine(active.name, 60),
    ),
    detail,
  };
}
