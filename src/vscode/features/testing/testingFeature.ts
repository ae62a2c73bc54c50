import type { Feature } from '../../ui/services.js';
import { TestExplorer } from './testExplorer.js';

/** Tests of servers in the Test Explorer. */
export const testingFeature: Feature = {
  name: 'testing',
  register: (deck) => new TestExplorer(deck),
};
