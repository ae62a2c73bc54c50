import type { Recording } from '../../src/core/testing/recording/recordingModel.js';

/** The head of a recording of a legacy server over stdio. */
export function recordedHead(capabilities: Recording['head']['capabilities']): Recording['head'] {
  return {
    format: 'mcp-deck-recording',
    version: 1,
    server: 'sample',
    era: 'legacy',
    revision: '2025-11-25',
    transport: 'stdio',
    recordedAt: '2026-01-01T00:00:00.000Z',
    info: { name: 'sample', version: '1' },
    capabilities,
  };
}
