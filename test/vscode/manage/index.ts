import { makeRun } from '../runner.js';
import './interchange.js';

export const run = makeRun();
