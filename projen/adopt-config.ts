import { JsonFile, type Project } from 'projen';

/** Jest's configuration for the round trip of `gantry adopt` over everything, which takes a minute. */
export class AdoptConfig extends JsonFile {
  constructor(project: Project, jest: Readonly<Record<string, unknown>>) {
    super(project, 'jest.adopt.config.json', {
      marker: false,
      obj: {
        testMatch: ['<rootDir>/test/adopt/**/*.adopt.ts'],
        modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/'],
        moduleNameMapper: jest.moduleNameMapper,
        transform: jest.transform,
        maxWorkers: 1,
        testTimeout: 600_000,
      },
    });
  }
}
