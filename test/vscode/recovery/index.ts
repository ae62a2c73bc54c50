import { makeRun } from '../runner.js';
import './killed.js';
import './suspended.js';
import './network.js';
import './proxy.js';
import './keptConnections.js';
import './crowd.js';

export const run = makeRun();
