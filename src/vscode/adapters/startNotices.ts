import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import type { StartNotices } from '../../core/host/ports.js';
import { remarkText } from '../../core/present/text/remarkText.js';
import { showWarning } from './userMessages.js';

/**
 * Shows why a start is slow, in a notification that does not take the focus. The start continues unless the user
 * selects *Stop*.
 */
export const startNotices: StartNotices = {
  async tell(entry, remark) {
    const { what, next } = remarkText(remark);
    const stop = vscode.l10n.t('Stop');
    const keep = vscode.l10n.t('Keep Waiting');
    const text = vscode.l10n.t(
      'The server "{0}" has not finished starting. {1} {2}',
      visibleLine(entry.id, 80),
      what,
      next,
    );
    const chosen = await showWarning(text, stop, keep);
    return chosen === stop ? 'stop' : chosen === keep ? 'keep' : undefined;
  },
};
