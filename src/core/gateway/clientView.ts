import type { HostApi } from '../host/hostApi.js';
import type { Preset } from '../presets/presetFile.js';
import type { PresetScope } from '../presets/presetScope.js';
import { scopeOf } from '../presets/presetScope.js';
import type { ToolOverride } from '../presets/toolOverrides.js';

/** The decisions of the user and the workspace about the servers and tools that clients see. */
export interface GatewayView {
  /** The tools that are hidden from clients, and the tools whose name or description the user changed. */
  overrides(): readonly ToolOverride[];
  /** The preset that a client chose in the URL. Undefined if no preset has this name. */
  presetFor(client: string, preset: string): Preset | undefined;
}

const everything: PresetScope = { isLeftOut: false, isOn: () => true };
const nothing: PresetScope = { isLeftOut: true, isOn: () => false };

/** The servers and tools that one client sees. */
export class ClientView {
  constructor(
    private readonly servers: Pick<HostApi['servers'], 'get'>,
    /** Absent for a client that chose no preset. */
    private readonly preset: Preset | undefined,
    /** The kinds of sources whose servers the client already has in its own configuration. */
    private readonly without: readonly string[] = [],
  ) {}

  get isWhole(): boolean {
    return this.preset === undefined && this.without.length === 0;
  }

  hasServer(server: string): boolean {
    return this.scope(server).isLeftOut !== true;
  }

  hasTool({ server, name }: { server: string; name: string }): boolean {
    return this.scope(server).isOn(name);
  }

  private scope(server: string): PresetScope {
    const entry = this.servers.get(server)?.entry;
    if (entry && this.without.includes(entry.source.kind)) return nothing;
    return this.preset ? scopeOf(this.preset, entry ?? { id: server, name: server }) : everything;
  }
}
