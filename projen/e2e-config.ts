import { JsonFile, type Project } from 'projen';

/** Jest's configuration for the suites that ask a live control plane: one process, since they share it, and time to build it. */
export class EndToEndConfig extends JsonFile {
  constructor(project: Project, transform: unknown, moduleNameMapper: unknown) {
    super(project, 'jest.e2e.config.json', {
      marker: false,
      obj: {
        testMatch: ['<rootDir>/test/e2e/**/*.e2e.ts'],
        // The rest of long suites; `npm run test:e2e:full` runs them too.
        testPathIgnorePatterns: ['/node_modules/', '\\.full\\.e2e\\.ts$'],
        modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/'],
        testEnvironment: '<rootDir>/test/e2e/environment.ts',
        globalSetup: '<rootDir>/test/e2e/setup.ts',
        globalTeardown: '<rootDir>/test/e2e/teardown.ts',
        transform,
        moduleNameMapper,
        maxWorkers: 1,
        testTimeout: 600_000,
      },
    });
  }
}
