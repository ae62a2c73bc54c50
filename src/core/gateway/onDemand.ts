/** The parts of the gateway that a window loads on first use. They are a separate file, `dist/lib/gateway.js`. */
export { AgentTools } from './agentTools.js';
export { openGateway } from './openGateway.js';
export { openPrivateFront } from './privateFront.js';
export { ServerStarts } from './serverStarts.js';
export { gatewayNames } from './toolSearch.js';
