/**
 * The order of suites: the longest first, so that no worker is left with one of them when the others are done. Jest knows the times of the last
 * run; where it has none, as in a new clone, it goes by the size of files, and some of the longest suites are short files.
 */
'use strict';

const { createRequire } = require('node:module');
const path = require('node:path');

const { default: TestSequencer } = createRequire(require.resolve('jest-config'))('@jest/test-sequencer');

/** The longest, by their times on two cores: those of more than five seconds. */
const LONGEST = [
  'test/checks/server/recorded-verdicts.test.ts',
  'test/surface/surface.test.ts',
  'test/placement/hostile.test.ts',
  'test/interfaces/cli/process.test.ts',
  'test/checks/synth/mistakes-of-an-app.test.ts',
  'test/docs/snippets.test.ts',
  'test/checks/hostile.test.ts',
  'test/interfaces/cli/check-threads.test.ts',
  'test/package/api-report.test.ts',
  'test/runtime/remediation/alert-flood.test.ts',
  'test/support/jest/runtime.test.ts',
  'test/runtime/kubernetes/program/double-booking.test.ts',
  'test/planning/simulation/examples.test.ts',
  'test/placement/role-pods.test.ts',
  'test/interfaces/checks/rules-by-field.test.ts',
];

class LongestFirst extends TestSequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const rank = ({ path: file, duration, context }) => {
      const place = LONGEST.indexOf(path.relative(context.config.rootDir, file).replaceAll(path.sep, '/'));
      return duration !== undefined || place < 0 ? LONGEST.length : place;
    };
    return [...sorted].sort((a, b) => rank(a) - rank(b));
  }
}

module.exports = { __esModule: true, default: LongestFirst, LONGEST };
