import path from 'node:path';
import type * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { systemClock } from '../../../core/base/clock.js';
import { devWatchOf, readDevWatch } from '../../../core/config/dev.js';
import { ChangeWatch } from '../../../core/connection/changeWatch.js';
import type { TestFile } from '../../../core/testing/testModel.js';
import type { ExtensionServices } from '../../ui/services.js';

type Services = Pick<ExtensionServices, 'host' | 'log' | 'ports'>;

/** The file patterns in `dev.watch` of a server, and the folder that they are relative to. */
function watchOf(
  { host, ports }: Services,
  { server, file }: TestFile,
): { folder: string; patterns: string[] } | undefined {
  if (!server) return undefined;
  if ('definition' in server) {
    const patterns = readDevWatch(server.definition['dev']);
    return Array.isArray(patterns) ? { folder: path.dirname(file), patterns } : undefined;
  }
  const entry = host.servers.get(server.name)?.entry;
  const folder = entry?.source.folderPath ?? ports.machine.folders()[0]?.path;
  return entry && folder !== undefined ? { folder, patterns: devWatchOf(entry.definition) } : undefined;
}

/**
 * Runs a test file again after it was saved, or after a file of its server's `dev.watch` has changed, until disposed.
 * Several changes at about the same time cause only one run.
 */
export function watchTest(
  deck: Services,
  { uri, test }: { uri: vscode.Uri; test: TestFile | undefined },
  runAgain: () => Promise<void>,
): Disposable {
  const store = new DisposableStore();
  const file = path.basename(uri.fsPath);
  const places = [{ folder: path.dirname(uri.fsPath), patterns: [file] }, test && watchOf(deck, test)];
  for (const place of places) {
    if (!place || place.patterns.length === 0) continue;
    const watch = store.add(
      new ChangeWatch({
        watch: (patterns, onDidChange) => deck.ports.fileChanges?.watch(place.folder, patterns, onDidChange),
        restart: runAgain,
        write: (level, line) => deck.log.write(level, `${file}: ${line}`),
        onDidChange: () => undefined,
        clock: systemClock,
      }),
    );
    watch.update(place.patterns, true);
  }
  return store;
}
