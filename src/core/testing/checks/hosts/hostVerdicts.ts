import type { Tool } from '../../../protocol/mcp.js';
import { hosts } from './hostLimits.js';

/** How well a host supports a server. */
export interface HostVerdict {
  host: string;
  name: string;
  /** `limited`: some tools are refused or changed. `refused`: all tools are refused. */
  verdict: 'works' | 'limited' | 'refused';
  reasons: readonly HostReason[];
}

export interface HostReason {
  effect: 'refused' | 'changed';
  /** A sentence. If it has no subject, the subject is the host. */
  reason: string;
  source: string;
  /** The number of tools that exceed the limit; absent for a limit of the whole server. */
  count?: number;
  /** The names of the first tools that exceed the limit; untrusted. */
  tools: readonly string[];
}

/** Maximum number of tools that a reason names. */
const maxNamed = 5;

/**
 * Compares the tools of a server with the documented limits of hosts. A verdict says only what the documentation says:
 * a host without a known limit can still refuse a tool.
 * @param server the name of the server in its configuration, which hosts put before the names of its tools.
 */
export function hostVerdicts(server: string, tools: readonly Tool[]): HostVerdict[] {
  return hosts.map(({ id, name, limits }) => {
    const refused = new Set<Tool>();
    const reasons: HostReason[] = [];
    for (const { effect, reason, source, tool: exceeds, server: isExceeded } of limits) {
      const found = exceeds ? tools.filter((tool) => exceeds(tool, server)) : [];
      if (found.length > 0) {
        if (effect === 'refused') for (const tool of found) refused.add(tool);
        const named = found.slice(0, maxNamed).map((tool) => tool.name);
        reasons.push({ effect, reason: reason(), source, count: found.length, tools: named });
      }
      if (isExceeded?.(tools) === true) reasons.push({ effect, reason: reason(), source, tools: [] });
    }
    const isRefused = tools.length > 0 && refused.size === tools.length;
    const verdict = isRefused ? 'refused' : reasons.length > 0 ? 'limited' : 'works';
    return { host: id, name, verdict, reasons };
  });
}
