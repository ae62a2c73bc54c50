import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  boilerplateOf,
  isCausedByLine,
  isErrorLine,
  isFrame,
  isHint,
  isNoise,
} from '../../../src/core/base/crashLines.js';
import { crashReport } from '../../../src/core/base/crashReport.js';
import { missingVariable } from '../../../src/core/base/missingVariable.js';
import { assertLinear } from '../../support/linearWork.js';

const classifiers: Readonly<Record<string, (line: string) => unknown>> = {
  isFrame,
  isNoise,
  isErrorLine,
  isHint,
  isCausedByLine,
  boilerplateOf,
  missingVariable: (line) => missingVariable([line]),
  crashReport: (line) => crashReport([line, line]),
};
/** Beginnings after which the patterns of single lines continue. */
const beginnings = ['', ' ', '    at ', '  File "', 'goroutine 1 ', 'npm error ', "thread '", 'Exception in thread "'];

describe('lines of the error output of a server', () => {
  for (const [name, classify] of Object.entries(classifiers))
    test(`[stderr.linear] ${name} takes time in proportion to the length of any line`, () => {
      for (const beginning of beginnings) assertLinear(classify, beginning);
    });

  for (const line of [
    'main.main()',
    'main.(*Server).Start(0xc000010000, {0x1, 0x2})',
    'example.com/acme/server.(*Server).Start.func1(...)',
    'net/http.HandlerFunc.ServeHTTP(0x1)',
  ])
    test(`a call of Go is a frame: ${line}`, () => assert.ok(isFrame(line)));

  for (const line of ['main()', 'a.()', 'a.b', 'a.b) c()', 'call a.b()', 'a.(b c).d()', '.b()', 'a.(*B)()', 'a.b() '])
    test(`not a frame: ${line}`, () => assert.ok(!isFrame(line)));
});
