import type { Disposable } from '../../../core/base/disposable.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';
import { ScriptCalls } from '../../ui/scripting.js';

/**
 * Lists the servers for scripts. The Command Palette does not show this command, because users see the servers in the
 * Servers view.
 */
export const listServersCommand: Feature = {
  name: 'list servers command',
  register({ commands, host, schemas }): Disposable {
    const scripts = new ScriptCalls(host, schemas);
    return commands.defineCommand(commandIds.listServers, () => Promise.resolve(scripts.listServers()));
  },
};
