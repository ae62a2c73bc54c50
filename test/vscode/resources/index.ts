import { makeRun } from '../runner.js';
import './fileSystem.js';
import './commands.js';

export const run = makeRun();
