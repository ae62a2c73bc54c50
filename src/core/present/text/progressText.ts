import { visibleLine } from '../../base/hostileText.js';
import type { Progress } from '../../protocol/mcp.js';

/** The progress of a run in one line, with hidden characters made visible: `3 / 10 · indexing`. */
export function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} / ${total}`;
  const words = message === undefined ? '' : visibleLine(message, 200);
  return words === '' ? count : `${count} · ${words}`;
}
