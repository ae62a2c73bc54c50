import { t } from '@vscode/l10n';
import { visibleLine } from '../../../base/hostileText.js';
import { visibleName } from '../../../base/visibleName.js';
import { canonicalJson } from '../../../base/jsonText.js';
import type { ToolDefinition } from '../../../consent/toolDefinition.js';
import type { LockedServer } from './lockModel.js';

/** One difference between the lock file and a server. */
export interface Drift {
  server: string;
  kind: 'added' | 'removed' | 'changed';
  item: 'server' | 'tool' | 'prompt' | 'resource';
  /** The name of the item, or the URI of a resource; untrusted. */
  name: string;
  /** A complete sentence, with untrusted text made visible. */
  message: string;
}

const fields = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'] as const;

/**
 * The differences between what was locked and what a server lists now, in steps (see `timeSlice`). Linear in both.
 */
export function* driftOf(
  server: string,
  locked: LockedServer | undefined,
  current: LockedServer,
): Generator<void, Drift[]> {
  const of = (kind: Drift['kind'], item: Drift['item'], name: string, message: string): Drift => ({
    server,
    kind,
    item,
    name,
    message,
  });
  if (!locked)
    return [of('added', 'server', server, t('The server "{0}" is not in the lock file.', visibleName(server)))];
  const drift: Drift[] = [];
  const { info } = locked;
  if (info.name !== current.info.name || info.version !== current.info.version)
    drift.push(
      of(
        'changed',
        'server',
        server,
        t(
          'The server is "{0}" {1}, but the lock file has "{2}" {3}.',
          visibleName(current.info.name),
          visibleLine(current.info.version, 60),
          visibleName(info.name),
          visibleLine(info.version, 60),
        ),
      ),
    );
  for (const name of union(Object.keys(locked.tools), Object.keys(current.tools))) {
    yield;
    const before = own(locked.tools, name);
    const now = own(current.tools, name);
    if (!before) drift.push(of('added', 'tool', name, t('The tool "{0}" is new.', visibleName(name))));
    else if (!now) drift.push(of('removed', 'tool', name, t('The tool "{0}" was removed.', visibleName(name))));
    else {
      const changed = fields.filter((field) => !isSame(before[field], now[field]));
      if (changed.length > 0)
        drift.push(
          of('changed', 'tool', name, t('The tool "{0}" has changed: {1}.', visibleName(name), changed.join(', '))),
        );
    }
  }
  for (const [item, before, now] of [
    ['prompt', locked.prompts, current.prompts],
    ['resource', locked.resources, current.resources],
  ] as const) {
    const shown = (name: string) => visibleLine(name, 120);
    for (const name of yield* missingIn(new Set(before), now))
      drift.push(of('added', item, name, addedText(item, shown(name))));
    for (const name of yield* missingIn(new Set(now), before))
      drift.push(of('removed', item, name, removedText(item, shown(name))));
  }
  return drift;
}

function* missingIn(known: ReadonlySet<string>, names: readonly string[]): Generator<void, string[]> {
  const missing: string[] = [];
  for (const name of names) {
    if (!known.has(name)) missing.push(name);
    yield;
  }
  return missing;
}

function addedText(item: 'prompt' | 'resource', name: string): string {
  return item === 'prompt' ? t('The prompt "{0}" is new.', name) : t('The resource {0} is new.', name);
}

function removedText(item: 'prompt' | 'resource', name: string): string {
  return item === 'prompt' ? t('The prompt "{0}" was removed.', name) : t('The resource {0} was removed.', name);
}

function own(tools: LockedServer['tools'], name: string): ToolDefinition | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
