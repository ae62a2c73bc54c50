/** The parts of tests that a window loads on first use. They are a separate file, `dist/lib/testing.js`. */
export { caseLines, failureMessage, serverLine } from './failureMessage.js';
export { completionsAt } from './language/completions.js';
export { problemsOf } from './language/fileProblems.js';
export { hoverAt } from './language/hoverText.js';
export { withNewCase } from './newCase.js';
export { outlineOf, serverTags } from './testOutline.js';
export { readTestFile } from './readTestFile.js';
export { demandNames, demandOf } from './runDemand.js';
export { runTestFile } from './runTestFile.js';
export { hostVerdicts } from './checks/hosts/hostVerdicts.js';
export { lintServer } from './checks/lint/lintServer.js';
export { lintSubject, probeServer } from './checks/lint/lintSubject.js';
export { quotedNames } from './checks/locate/quotedNames.js';
export { driftOf } from './checks/lock/lockDrift.js';
export { lockedServer } from './checks/lock/lockModel.js';
export { LockError, readLock, writeLock } from './checks/lock/lockStore.js';
