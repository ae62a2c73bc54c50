/** Finds tools by words, for all callers of the window: clients of the gateway, chat models, and agents of VS Code. */
import type { ToolSearch } from './createIndex.js';
import type { SearchableTool } from './toolFields.js';

/** Maximum number of lists whose index is kept. Callers with different views have different lists. */
const maxIndexes = 4;

/** Maximum number of tools that a search returns to a model. */
const maxFound = 5;

/** Builds the index of a list. */
export type BuildIndex = (tools: readonly SearchableTool[]) => Promise<ToolSearch>;

interface Indexed {
  tools: readonly SearchableTool[];
  search: Promise<ToolSearch>;
}

/**
 * Searches lists of tools. The index of a list is kept until the list changes; of several lists, those that were
 * searched last are kept.
 */
export class ToolFinder {
  /** The least recently used first. */
  private indexes: Indexed[] = [];

  /** @param build default: loads the search module on first use. */
  constructor(
    private readonly build: BuildIndex = async (tools) => (await import('./createIndex.js')).createIndexInTurns(tools),
  ) {}

  /**
   * The tools of the list that fit the words best, best first.
   * @param limit maximum number of tools; default 5. More are rarely read by a model.
   */
  async find<T extends SearchableTool>(tools: readonly T[], words: string, limit = maxFound): Promise<T[]> {
    const hits = (await this.indexOf(tools)).search(words, limit);
    return hits.flatMap(({ server, name }) => tools.find((tool) => tool.server === server && tool.name === name) ?? []);
  }

  private indexOf(tools: readonly SearchableTool[]): Promise<ToolSearch> {
    const known = this.indexes.find((one) => isSameList(one.tools, tools));
    const used = known ?? { tools, search: this.build(tools) };
    this.indexes = [...this.indexes.filter((one) => one !== known), used].slice(-maxIndexes);
    // An index that could not be built is built again by the next search.
    if (!known) used.search.catch(() => (this.indexes = this.indexes.filter((one) => one !== used)));
    return used.search;
  }
}

/** Whether two lists have the same searched texts. The list of a client is a new array in each request. */
function isSameList(one: readonly SearchableTool[], other: readonly SearchableTool[]): boolean {
  return (
    one.length === other.length &&
    one.every((tool, index) => {
      const twin = other[index];
      return (
        tool === twin ||
        (tool.name === twin?.name &&
          tool.server === twin.server &&
          tool.title === twin.title &&
          tool.description === twin.description &&
          tool.inputSchema === twin.inputSchema &&
          tool.annotations === twin.annotations)
      );
    })
  );
}
