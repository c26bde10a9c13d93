import { JsonFile, type Project } from 'projen';

/** What a suite that `npm test` does not run needs beside the settings that all of them share. */
interface Suite {
  readonly testMatch: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The suites with a command of their own, `npm run test:NAME`, since they take time or need more than npm. */
const SUITES: Readonly<Record<string, Suite>> = {
  /** Round trips of `gantry adopt` over everything. */
  adopt: { testMatch: 'test/adopt/**/*.adopt.ts' },
  /** The HTML pages in a browser. */
  browser: {
    testMatch: 'test/browser/**/*.browser.ts',
    settings: { globalTeardown: '<rootDir>/test/browser/teardown.ts', testTimeout: 60_000 },
  },
  /** The official examples, which are fetched as Go modules. */
  corpus: { testMatch: 'test/corpus/official/**/*.corpus.ts' },
  /** A live control plane: one process, since the suites share it, and time to build it. */
  e2e: {
    testMatch: 'test/e2e/**/*.e2e.ts',
    settings: {
      // The rest of long suites; `npm run test:e2e:full` runs them too.
      testPathIgnorePatterns: ['/node_modules/', '\\.full\\.e2e\\.ts$'],
      testEnvironment: '<rootDir>/test/e2e/environment.ts',
      globalSetup: '<rootDir>/test/e2e/setup.ts',
      globalTeardown: '<rootDir>/test/e2e/teardown.ts',
    },
  },
  /** The packed package, compiled under each module resolution. */
  package: { testMatch: 'test/package/**/*.package.ts' },
};

/** Jest's configuration of each of those suites, with the transform and the entry points of the unit tests. */
export function addSuiteConfigs(project: Project, jest: Readonly<Record<string, unknown>>): void {
  for (const [name, { testMatch, settings }] of Object.entries(SUITES)) {
    new JsonFile(project, `jest.${name}.config.json`, {
      marker: false,
      obj: {
        testMatch: [`<rootDir>/${testMatch}`],
        modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/'],
        moduleNameMapper: jest.moduleNameMapper,
        transform: jest.transform,
        maxWorkers: 1,
        testTimeout: 600_000,
        ...settings,
      },
    });
  }
}
