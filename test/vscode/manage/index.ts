import { makeRun } from '../runner.js';
import './interchange.js';
import './nineApps.js';
import './presets.js';
import './startAll.js';
import './doctor.js';
import './editing.js';
import './setSecret.js';
import './storedValues.js';
import './debugging.js';
import './watching.js';
import './waiting.js';
import './largeFile.js';

export const run = makeRun();
