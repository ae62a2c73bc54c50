import type { Loss, Path } from './portableServer.js';

/** Maximum number of losses that are listed one by one. The others are counted for each server. */
const maxListed = 1_000;
/** Maximum length of the name of a field, in UTF-16 code units. Reports show less. */
const maxFieldLength = 200;

/**
 * Collects the losses of a conversion. A file of a few hundred kilobytes can have many thousands of fields with long
 * paths, so the number of losses and the length of each path are limited.
 */
export class LossList {
  private readonly listed: Loss[] = [];
  /** The number of losses that are not listed, by server. */
  private readonly others = new Map<string, number>();

  /** @param field the path of the field; empty if the loss concerns the whole server. */
  add(server: string, field: Path, message: string): void {
    this.push({ server, field: fieldName(field), message });
  }

  addAll(other: LossList): void {
    for (const loss of other.listed) this.push(loss);
    for (const [server, count] of other.others) this.count(server, count);
  }

  /** The losses, and for each server the number of those that are not listed. */
  all(): Loss[] {
    return [
      ...this.listed,
      ...[...this.others].map(([server, count]) => ({ server, field: '', message: `More differences: ${count}.` })),
    ];
  }

  private push(loss: Loss): void {
    if (this.listed.length < maxListed) this.listed.push(loss);
    else this.count(loss.server, 1);
  }

  private count(server: string, count: number): void {
    this.others.set(server, (this.others.get(server) ?? 0) + count);
  }
}

/** The path of a field in one text, which ends with `…` if it is too long. */
function fieldName(path: Path): string {
  let name = '';
  for (const [index, part] of path.entries()) {
    // A part of a long text keeps the whole text in memory, so only parts of the names in the file are added.
    name += `${index === 0 ? '' : '.'}${part.slice(0, maxFieldLength)}`;
    if (name.length > maxFieldLength) return `${name.slice(0, maxFieldLength)}…`;
  }
  return name;
}
