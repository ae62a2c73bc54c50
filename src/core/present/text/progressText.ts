import { visibleLine } from '../../base/hostileText.js';
import type { Progress } from '../../protocol/mcp.js';

/** How far a run is, in one harmless line without line breaks: `3 / 10 · indexing`. */
export function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} / ${total}`;
  const words = message === undefined ? '' : visibleLine(message, 200);
  return words === '' ? count : `${count} · ${words}`;
}
