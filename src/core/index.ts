/**
 * The API of the core for programs without VS Code: tests, benchmarks and the conformance client. This is the only
 * barrel file. It lists names explicitly, so that an export is a deliberate decision.
 */
export { HostError, UserError, isCancelled } from './base/hostError.js';
export { parseConfigText } from './config/parseConfig.js';
export { McpHost } from './host/mcpHost.js';
export type { CallOptions, HostChange, ServerView } from './catalog/hostTypes.js';
export type { HostApi } from './host/hostApi.js';
export type { HostSettings } from './config/hostSettings.js';
export type { HostPorts } from './host/ports.js';
export { ProtocolError } from './protocol/jsonRpc.js';
export { McpSession } from './session/mcpSession.js';
export type { SessionOptions } from './session/mcpSession.js';
export { ServerRegistry } from './registry/serverRegistry.js';
export { ServerSkills } from './skills/serverSkills.js';
export { MemoryTransport } from './transport/memoryTransport.js';
export { openRemote } from './transport/remoteTransport.js';
export { StdioTransport } from './transport/stdio/stdioTransport.js';
