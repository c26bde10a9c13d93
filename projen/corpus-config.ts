import { JsonFile, type Project } from 'projen';

/** Jest's configuration for the suite that checks official examples: they are fetched as Go modules, which takes time. */
export class CorpusConfig extends JsonFile {
  constructor(project: Project, transform: unknown) {
    super(project, 'jest.corpus.config.json', {
      marker: false,
      obj: {
        testMatch: ['<rootDir>/test/corpus/official/**/*.corpus.ts'],
        modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/'],
        transform,
        maxWorkers: 1,
        testTimeout: 600_000,
      },
    });
  }
}
