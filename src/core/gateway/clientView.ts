import type { HostApi } from '../host/hostApi.js';
import type { Preset } from '../presets/presetFile.js';
import { scopeOf } from '../presets/presetScope.js';
import type { ToolOverride } from '../presets/toolOverrides.js';

/** The decisions of the user and the workspace about the servers and tools that clients see. */
export interface GatewayView {
  /** The tools that are hidden from clients, and those with other texts that the user has approved. */
  overrides(): readonly ToolOverride[];
  /** The preset that a client chose in the URL. Undefined if no preset has this name. */
  presetFor(client: string, preset: string): Preset | undefined;
}

/** The servers and tools that one client sees. */
export class ClientView {
  constructor(
    private readonly servers: Pick<HostApi['servers'], 'get'>,
    /** Absent for a client that chose no preset. */
    private readonly preset: Preset | undefined,
  ) {}

  get isWhole(): boolean {
    return this.preset === undefined;
  }

  hasServer(server: string): boolean {
    return this.scope(server)?.isLeftOut !== true;
  }

  hasTool({ server, name }: { server: string; name: string }): boolean {
    return this.scope(server)?.isOn(name) !== false;
  }

  private scope(server: string): ReturnType<typeof scopeOf> | undefined {
    if (!this.preset) return undefined;
    return scopeOf(this.preset, this.servers.get(server)?.entry ?? { id: server, name: server });
  }
}
