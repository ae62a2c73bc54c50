import { makeRun } from '../runner.js';
import './fileSystem.js';
import './commands.js';
import './skills.js';

export const run = makeRun();
