import type { HistoryFiles } from '../../src/core/runs/runHistory.js';

/** The files of a history, in memory. */
export class MemoryHistoryFiles implements HistoryFiles {
  index: string | undefined;
  aside: string[] = [];
  readonly byId = new Map<string, string>();
  writes = 0;

  readIndex(): Promise<string | undefined> {
    return Promise.resolve(this.index);
  }

  writeIndex(text: string): Promise<void> {
    this.index = text;
    this.writes++;
    return Promise.resolve();
  }

  setIndexAside(): Promise<string> {
    this.aside.push(this.index ?? '');
    this.index = undefined;
    return Promise.resolve('history.broken.json');
  }

  writeText(id: string, pieces: Iterable<string>): Promise<void> {
    this.byId.set(id, [...pieces].join(''));
    return Promise.resolve();
  }

  readText(id: string): Promise<string | undefined> {
    return Promise.resolve(this.byId.get(id));
  }

  deleteText(id: string): Promise<void> {
    this.byId.delete(id);
    return Promise.resolve();
  }

  texts(): Promise<string[]> {
    return Promise.resolve([...this.byId.keys()]);
  }
}
