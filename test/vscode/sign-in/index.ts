import { makeRun } from '../runner.js';
import './accounts.js';

export const run = makeRun();
