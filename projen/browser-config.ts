import { JsonFile, type Project } from 'projen';

/** Jest's configuration for the suites that look at the HTML pages in a browser. */
export class BrowserConfig extends JsonFile {
  constructor(project: Project, transform: unknown) {
    super(project, 'jest.browser.config.json', {
      marker: false,
      obj: {
        testMatch: ['<rootDir>/test/browser/**/*.browser.ts'],
        modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/'],
        globalTeardown: '<rootDir>/test/browser/teardown.ts',
        transform,
        maxWorkers: 1,
        testTimeout: 60_000,
      },
    });
  }
}
