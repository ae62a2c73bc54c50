import { makeRun } from '../runner.js';
import './installBundle.js';
import './registryBundle.js';

export const run = makeRun();
