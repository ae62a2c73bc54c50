import { makeRun } from '../runner.js';
import './activation.js';
import './scripting.js';
import './lifecycle.js';
import './badServers.js';
import './configuration.js';
import './trust.js';
import './variables.js';
import './roots.js';
import './runs.js';
import './results.js';
import './progress.js';

export const run = makeRun();
