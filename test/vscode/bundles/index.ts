import { makeRun } from '../runner.js';
import './installBundle.js';

export const run = makeRun();
