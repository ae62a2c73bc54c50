import { makeRun } from '../runner.js';
import './fileSystem.js';

export const run = makeRun();
