import { makeRun } from '../runner.js';
import './interchange.js';
import './presets.js';
import './doctor.js';

export const run = makeRun();
