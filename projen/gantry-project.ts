import { javascript, JsonFile, type Task, type TaskOptions, type TaskStep, typescript } from 'projen';
import { FormatConfig } from './format-config';
import { LintConfig } from './lint-config';
import { addSuiteConfigs } from './suite-config';

export interface GantryProjectOptions {
  readonly name: string;
  readonly description: string;
}

/** Folders whose TypeScript is checked and linted together with `src/`. */
const DEV_FOLDERS = ['test', 'examples', 'bench', 'projen'];

/** Code that runs in the browser: checked by itself, bundled into `src/planning/pages/assets.ts` and `runner-assets.ts`. */
const PAGE_CODE = 'src/planning/pages/client';

/** What projen sets for `src/`, for tests, examples, and page code too. */
const STRICT: javascript.TypeScriptCompilerOptions = {
  experimentalDecorators: true,
  alwaysStrict: true,
  esModuleInterop: true,
  noFallthroughCasesInSwitch: true,
  noImplicitAny: true,
  noImplicitReturns: true,
  noImplicitThis: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  resolveJsonModule: true,
  strict: true,
  strictNullChecks: true,
  strictPropertyInitialization: true,
};

/** Files of other projects, which are shipped as they are. */
const PROJECT_TEMPLATES = 'src/interfaces/cli/init/templates';

/** What `npm pack` ships beside `package.json`, README, LICENSE and CHANGELOG. */
const PUBLISHED = [
  'lib',
  '!lib/**/*.map',
  '!lib/runtime/agent',
  '!lib/runtime/remediation',
  '!lib/runtime/api',
  '!lib/runtime/kubernetes',
  '!lib/interfaces/live',
  '!lib/bundles/*.js',
  'src/facts/api/schemas',
  'src/constructs/node-tuning/scripts',
  'src/constructs/training/scripts',
  'src/constructs/scheduler/Dockerfile',
  PROJECT_TEMPLATES,
  'docs',
  'schemas',
  'CHANGELOG.md',
];

/** The exports of `src/index.ts`, loaded on use; written by `BUNDLE_RUNTIME`. */
const MAIN = 'lib/entry.js';

/** Programs go into the package as bundles and in no other form. */
const BUNDLE_RUNTIME = 'tsx projen/runtime/bundle.ts';

/**
 * Examples import the package by its name, as users do. Run by themselves they get the built package; tests, type check and lint see
 * the sources behind it, so that none of them depends on a build.
 */
const ENTRY_POINTS = {
  '.': 'src/index.ts',
  './checks': 'src/interfaces/checks/index.ts',
  './manifests': 'src/manifests/index.ts',
  './placement': 'src/placement/index.ts',
  './testing': 'src/interfaces/testing/index.ts',
  './pulumi': 'src/interfaces/pulumi/index.ts',
  './api/*': 'src/facts/api/types/*.ts',
};

/** The same by the names that an import uses. */
const SOURCES = Object.entries(ENTRY_POINTS).map(
  ([entryPoint, source]) => [entryPoint.replace('.', 'cdk8s-gantry'), source] as const,
);

/** The built file of a source file. */
function builtFile(source: string, extension: '.js' | '.d.ts'): string {
  return source.replace(/^src/, 'lib').replace(/\.ts$/, extension);
}

/** Where the project lives. */
/** How Jest compiles: `publicClass` is a decorator of a class. */
const SWC = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true },
  },
};

const REPOSITORY = 'https://github.com/gantry-dev/gantry';

/**
 * The project definition: one plain TypeScript package, CommonJS, for Node 20 and newer.
 *
 * `docs/dependencies.md` gives the reason for each dependency.
 */
export class GantryProject extends typescript.TypeScriptProject {
  constructor(options: GantryProjectOptions) {
    super({
      name: options.name,
      description: options.description,
      defaultReleaseBranch: 'main',
      packageManager: javascript.NodePackageManager.NPM,
      projenrcTs: false,
      licensed: true,
      license: 'Apache-2.0',
      copyrightOwner: 'The Gantry authors',
      repository: `git+${REPOSITORY}.git`,
      minNodeVersion: '20.12.0',
      entrypoint: MAIN,
      entrypointTypes: 'lib/index.d.ts',
      bin: { gantry: 'bin/gantry' },
      keywords: ['cdk8s', 'constructs', 'gpu', 'kubernetes', 'kubeflow', 'volcano', 'keda', 'scheduling', 'validation'],

      peerDeps: [
        'cdk8s@^2.60.0',
        'cdk8s-plus-28@^2.5.0',
        'constructs@^10.0.0',
        '@pulumi/pulumi@^3.248.0',
        '@pulumi/kubernetes@^4.32.0',
        'ts-morph@^28.0.0',
        'libsql@^0.5.29',
      ],
      peerDependencyOptions: { pinnedDevDependency: false },
      deps: [
        'yaml@2.9.1',
        '@bufbuild/cel@0.6.1',
        '@bufbuild/protobuf@^2.6.2',
        '@bufbuild/re2@0.6.1',
        'commander@14.0.3',
        'picocolors@1.1.1',
        'cli-table3@0.6.5',
        'croner@11.0.0',
        '@prometheus-io/lezer-promql@0.315.0',
        '@lezer/lr@1.4.12',
        '@lezer/common@1.5.5',
        '@lezer/highlight@1.2.5',
        'smol-toml@1.9.1',
      ],
      devDeps: [
        'cdk8s@2.70.106',
        'cdk8s-plus-28@2.5.6',
        'cdk8s-plus-34@2.0.54',
        'cdk8s-cli@2.207.60',
        'constructs@10.8.1',
        'projen@0.103.25',
        'typescript@6.0.3',
        'typescript-5.9@npm:typescript@5.9.3',
        'typescript-7@npm:typescript@7.0.2',
        'tsx@4.23.15',
        'ts-morph@28.0.0',
        'libsql@0.5.29',
        '@microsoft/api-extractor@7.60.1',
        '@swc/core@1.16.18',
        '@swc/jest@0.2.39',
        '@types/jest@^30',
        '@jest/fake-timers@^30',
        'expect@^30',
        'jest-config@^30',
        'jest-environment-node@^30',
        'jest-mock@^30',
        'jest-runner@^30',
        'jest-runtime@^30',
        '@types/node@^20',
        '@types/sarif@2.1.7',
        'oxlint@1.86.0',
        'oxlint-tsgolint@7.0.2004',
        'fast-check@4.10.2',
        '@kubernetes/client-node@1.4.0',
        '@pulumi/pulumi@3.248.0',
        '@pulumi/kubernetes@4.32.0',
        'esbuild@0.28.2',
        'playwright-core@1.65.1',
        'pino@10.4.0',
        'prom-client@15.1.3',
        'oxfmt@0.70.0',
      ],

      sampleCode: false,
      github: false,
      release: false,
      depsUpgrade: false,
      docgen: false,
      eslint: false,
      prettier: false,
      jest: true,
      jestOptions: {
        jestVersion: '^30',
        configFilePath: 'jest.config.json',
        junitReporting: false,
        extraCliOptions: ['--passWithNoTests=false'],
      },
      typescriptVersion: '6.0.3',
      tsconfig: { compilerOptions: compilerOptions({ rootDir: 'src', outDir: 'lib', lib: ['ES2023'] }) },
      npmignoreEnabled: false,
    });

    this.deps.removeDependency('ts-jest');
    this.configureJest();
    addSuiteConfigs(this, this.jest!.config as Record<string, unknown>);
    new LintConfig(this);
    new FormatConfig(this);
    new javascript.TypescriptConfig(this, {
      fileName: 'tsconfig.dev.json',
      compilerOptions: {
        ...compilerOptions({ rootDir: '.', noEmit: true, lib: ['ES2023'], types: ['node', 'jest'] }),
        ...STRICT,
        paths: Object.fromEntries(SOURCES.map(([name, source]) => [name, [`./${source}`]])),
      },
      include: ['.projenrc.ts', 'src/**/*.ts', ...DEV_FOLDERS.map((folder) => `${folder}/**/*.ts`)],
      exclude: ['node_modules', 'dist', PAGE_CODE],
    });
    // Tests see Jest's globals, in editors and in the lint.
    this.tryFindObjectFile('test/tsconfig.json')!.addOverride('extends', '../tsconfig.dev.json');
    for (const folder of DEV_FOLDERS.filter((name) => name !== 'test')) {
      new JsonFile(this, `${folder}/tsconfig.json`, {
        allowComments: true,
        obj: {
          extends: '../tsconfig.dev.json',
          compilerOptions: { noEmit: true, rootDir: '..' },
          include: ['**/*.ts'],
        },
      });
    }
    // Code of the HTML pages runs in a browser, and knows the document and not Node.
    this.tsconfig!.addExclude(PAGE_CODE);
    this.tsconfig!.addExclude(PROJECT_TEMPLATES);
    new javascript.TypescriptConfig(this, {
      fileName: 'tsconfig.pages.json',
      compilerOptions: compilerOptions({
        rootDir: 'src',
        noEmit: true,
        lib: ['ES2023', 'DOM', 'DOM.Iterable'],
        types: [],
        ...STRICT,
      }),
      include: [`${PAGE_CODE}/**/*.ts`],
    });
    new javascript.NpmConfig(this, { registry: undefined }).addConfig('omit-lockfile-registry-resolved', 'true');
    this.gitignore.exclude('/lib/', '/dist/', '/.cache/', '*.tgz', '*.tsbuildinfo');
    this.gitignore.include('/bin/');
    this.gitattributes.addAttributes('*.br', 'binary');
    this.package.addField('files', ['bin', ...PUBLISHED]);
    // Jest's resolver: of newer ones the packages for some platforms were never published, and `npm ci` then refuses the lock file.
    this.package.addPackageResolutions('unrs-resolver@1.12.2');
    this.package.addField('exports', {
      ...Object.fromEntries(
        Object.entries(ENTRY_POINTS).map(([entryPoint, source]) => [
          entryPoint,
          {
            types: `./${builtFile(source, '.d.ts')}`,
            default: entryPoint === '.' ? `./${MAIN}` : `./${builtFile(source, '.js')}`,
          },
        ]),
      ),
      './package.json': './package.json',
    });
    // Resolution of TypeScript before `exports` (node10), which is what `cdk8s init` sets up.
    this.package.addField('typesVersions', {
      '*': Object.fromEntries(
        Object.entries(ENTRY_POINTS)
          .filter(([entryPoint]) => entryPoint !== '.')
          .map(([entryPoint, source]) => [entryPoint.slice('./'.length), [builtFile(source, '.d.ts')]]),
      ),
    });
    // Nothing in `src` imports cdk8s-plus: its constructs are accepted where a program uses them. Pulumi is loaded by `./pulumi` alone, ts-morph
    // by `gantry adopt`, libsql by `gantry docker serve`.
    this.package.addField('peerDependenciesMeta', {
      'cdk8s-plus-28': { optional: true },
      '@pulumi/pulumi': { optional: true },
      '@pulumi/kubernetes': { optional: true },
      'ts-morph': { optional: true },
      libsql: { optional: true },
    });
    this.package.addField('homepage', `${REPOSITORY}#readme`);
    this.package.addField('bugs', { url: `${REPOSITORY}/issues` });
    this.defineTasks();
  }

  override addTask(name: string, options: TaskOptions = {}): Task {
    return super.addTask(name, { ...withPlainArguments(options), steps: options.steps?.map(withPlainArguments) });
  }

  private configureJest(): void {
    const config = this.jest!.config as Record<string, unknown>;
    config.transform = { '^.+\\.ts$': ['@swc/jest', SWC] };
    config.testMatch = ['<rootDir>/test/**/*.test.ts'];
    config.testPathIgnorePatterns = ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/browser/'];
    config.moduleNameMapper = {
      ...Object.fromEntries(
        SOURCES.map(([name, source]) => [`^${name.replace('*', '(.*)')}$`, `<rootDir>/${source.replace('*', '$1')}`]),
      ),
      // It loads an ES module, which Jest does not: the command line loads it as a bundle.
      '^\\.\\./live/main$': '<rootDir>/test/support/live-bundle.ts',
    };
    config.modulePathIgnorePatterns = ['<rootDir>/dist/', '<rootDir>/lib/'];
    config.clearMocks = true;
    config.globalTeardown = '<rootDir>/test/support/teardown.ts';
    config.testEnvironment = '<rootDir>/test/support/jest/environment.cjs';
    config.runtime = '<rootDir>/test/support/jest/runtime.cjs';
    config.testSequencer = '<rootDir>/test/support/jest/sequencer.cjs';
    // Some tests start processes, and machines are busy.
    config.testTimeout = 60_000;
    config.collectCoverage = false;
    delete config.coverageReporters;
    delete config.coverageDirectory;
    config.preset = undefined;
  }

  private defineTasks(): void {
    this.defaultTask!.reset('tsx .projenrc.ts');
    // After an install that the definition may have made.
    this.defaultTask!.exec('tsx projen/link-commands.ts');
    this.compileTask.reset('tsc --build tsconfig.json');
    this.postCompileTask.exec(BUNDLE_RUNTIME);
    this.testTask.reset();
    this.testTask.execArgs(['tsx', 'projen/test/main.ts'], { receiveArgs: true });
    this.addTask('start', {
      description: 'Run the main job on the reference platform',
      exec:
        'node bin/gantry synth --app "tsx examples/reference-platform/main.ts" --output dist/reference-platform ' +
        '--cluster sample --page dist/reference-platform.html',
    });
    this.addTask('format', { description: 'Format all TypeScript', exec: 'oxfmt .' });
    this.addTask('lint', { description: 'Lint all TypeScript', exec: 'oxlint .', receiveArgs: true });
    this.addTask('jest', {
      description: 'Run unit tests only',
      exec: 'jest --config jest.config.json',
      receiveArgs: true,
    });
    this.addTask('generate:api', {
      description: 'Regenerate src/facts/api from the pinned upstream modules',
      exec: 'tsx projen/api/generate.ts',
      receiveArgs: true,
    });
    this.addTask('upgrade', {
      description: 'Say what changes with another release of an upstream project, and take it up: PROJECT VERSION',
      exec: 'tsx projen/upgrade/main.ts',
      receiveArgs: true,
    });
    this.addTask('generate:docs', {
      description: 'Rewrite the tables of docs/ from the rules and from what workloads render',
      exec: 'tsx projen/docs/rule-tables.ts && tsx projen/docs/scheduling-table.ts && tsx projen/docs/configuration-schema.ts && tsx projen/docs/snapshot-keys.ts',
    });
    this.addTask('generate:props', {
      description: 'Rewrite the names of the props of public classes, for programs without a type checker',
      exec: 'tsx projen/api/known-props.ts',
    });
    this.addTask('generate:api-report', {
      description: 'Rewrite api/, the declarations that users see, from lib/',
      exec: 'tsx projen/docs/api-report.ts',
    });
    this.addTask('test:drift', {
      description:
        'Regenerate the API from its pinned sources and compare with src/facts/api (needs Go; skipped, visibly, without it)',
      exec: 'tsx projen/api/drift.ts',
    });
    this.addTask('generate:pages', {
      description: 'Bundle the code of the HTML pages into src/planning/pages/*assets.ts',
      exec: 'tsx projen/pages/bundle.ts',
    });
    this.addTask('generate:images', {
      description: 'Take the pictures of docs/images from the HTML pages (needs Chromium)',
      exec: 'tsx projen/pages/images.ts',
    });
    this.addTask('test:browser', {
      description: 'Look at the HTML pages in headless Chromium (skipped, visibly, without it)',
      exec: 'jest --config jest.browser.config.json',
      receiveArgs: true,
    });
    this.addTask('test:fuzz', {
      description: 'Run the command line on 10,000 random inputs: GANTRY_FUZZ_SEED repeats a run',
      env: { GANTRY_FUZZ: '10000' },
      exec: 'jest --config jest.config.json test/interfaces/cli/fuzz',
      receiveArgs: true,
    });
    this.addTask('test:e2e', {
      description: 'Run the suites that ask a live Kubernetes API server (needs Go; skipped, visibly, without it)',
      steps: [
        { exec: 'tsx test/e2e/build-programs.ts' },
        { exec: 'jest --config jest.e2e.config.json', receiveArgs: true },
      ],
    });
    this.addTask('test:e2e:full', {
      description: 'Run all end-to-end suites, with those that take long',
      steps: [
        { exec: 'tsx test/e2e/build-programs.ts' },
        { exec: 'jest --config jest.e2e.config.json --testPathIgnorePatterns /node_modules/', receiveArgs: true },
      ],
    });
    this.addTask('record:verdicts', {
      description:
        'Ask a live API server about thousands of manifests, for the tests that run without one: [--seed S] [--questions N] (needs Go)',
      exec: 'tsx test/e2e/agreement/record.ts',
      receiveArgs: true,
    });
    this.addTask('record:more-verdicts', {
      description:
        'Add verdicts of a live API server that notice changes of the code which no recorded one notices: [--seed S] [--questions N] (needs Go)',
      exec: 'tsx test/e2e/agreement/record-more.ts',
      receiveArgs: true,
    });
    this.addTask('record:cases', {
      description: 'Add verdicts of a live API server about the documents of the unit tests (needs Go)',
      exec: 'tsx test/e2e/agreement/record-cases.ts',
    });
    this.addTask('record:decisions', {
      description:
        'Write what the placement core decides in random worlds; with --mutants, say how many mutants they notice; with --further, add some that notice more: [--mutants N] [--seed S] [--further N] [--from SEED] [--seconds S]',
      exec: 'tsx test/placement/recorded/record.ts',
      receiveArgs: true,
    });
    this.addTask('record:views', {
      description: 'Write what the scheduler makes of random objects: the options of record:decisions',
      exec: 'tsx test/runtime/kubernetes/recorded/record.ts',
      receiveArgs: true,
    });
    this.addTask('record:findings', {
      description:
        'Write what the rules of all domains, or of some, find in changed manifests: [DOMAIN...] and the options of record:decisions',
      exec: 'tsx test/interfaces/checks/recorded/record.ts',
      receiveArgs: true,
    });
    this.addTask('record:admission', {
      description:
        'Ask a live API server which pods it admits, for the tests that run without one: [--seed S] [--worlds N] [--pods N] (needs Go)',
      exec: 'tsx test/e2e/admission/record.ts',
      receiveArgs: true,
    });
    this.addTask('record:claims', {
      description:
        'Ask the allocator of Kubernetes for devices in random worlds, for the tests that run without Go: [--seed S] [--worlds N]',
      exec: 'tsx test/e2e/claims/record.ts',
      receiveArgs: true,
    });
    this.addTask('record:claim-tables', {
      description:
        "Record the cases of the tests of Kubernetes' allocator of devices, and its answers, for the tests that run without Go (needs Go)",
      exec: 'tsx test/e2e/claims/tables/record.ts',
    });
    this.addTask('record:gates', {
      description:
        'Ask live API servers of three minors about fields whose feature gate is off in some of them, for the tests that run without one (needs Go)',
      exec: 'tsx test/e2e/agreement/record-gates.ts',
    });
    this.addTask('record:costs', {
      description:
        "Ask the API server's own code what CEL expressions may cost, for the tests that run without Go (needs Go)",
      exec: 'tsx test/e2e/costs/record.ts',
    });
    this.addTask('docs:check', {
      description: 'Check the documentation: snippets, generated tables, links, and words',
      steps: [
        { exec: 'tsc --build tsconfig.json' },
        { exec: BUNDLE_RUNTIME },
        { exec: 'jest --config jest.config.json test/docs test/words test/surface/', receiveArgs: true },
      ],
    });
    this.addTask('test:mutation', {
      description:
        'Measure which changes of the code the unit tests notice: FOLDER[:N]... [--sample N] [--seed S] [--seconds S] [--json FILE] [--resume] [--survivors FILE] [--tests REGEX]',
      exec: 'tsx test/mutation/main.ts',
      receiveArgs: true,
    });
    this.addTask('test:corpus', {
      description: "Check the official examples in the projects' Go modules (needs Go; skipped, visibly, without it)",
      exec: 'jest --config jest.corpus.config.json',
      receiveArgs: true,
    });
    this.addTask('test:package', {
      description: 'Compile and run programs against the packed package under each module resolution (needs lib/)',
      exec: 'jest --config jest.package.config.json',
      receiveArgs: true,
    });
    this.addTask('test:adopt', {
      description:
        'Adopt all examples, fixtures, and official examples, compile the stacks, and compare what they render (needs lib/, and Go for the official ones)',
      exec: 'jest --config jest.adopt.config.json',
      receiveArgs: true,
    });
    this.addTask('test:matrix', {
      description:
        'Use the packed package with the oldest and newest supported Node, cdk8s, constructs, and TypeScript: [--suite] [ROW...]',
      exec: 'tsx test/package/matrix.ts',
      receiveArgs: true,
    });
    this.addTask('test:init', {
      description:
        'Install each project that gantry init writes, with npm and pnpm, and run its scripts (needs a registry): [TEMPLATE...]',
      exec: 'tsx test/package/init.ts',
      receiveArgs: true,
    });
    this.addTask('control-plane', {
      description:
        'Start, stop or list the Kubernetes control plane of the end-to-end suites by hand: up, down, status',
      exec: 'tsx test/e2e/control-plane/cli.ts',
      receiveArgs: true,
    });
    this.addTask('bench:agreement', {
      description: 'Measure how often checks say what a live API server says: --mutants N --seed S',
      exec: 'tsx bench/agreement.ts',
      receiveArgs: true,
    });
    this.addTask('bench:webhooks', {
      description:
        "Measure how often checks say what the projects' own validators say: --mutants N --seed S --projects REGEX --least PERCENT",
      exec: 'tsx bench/webhooks.ts',
      receiveArgs: true,
    });
    this.addTask('record:webhooks', {
      description:
        "Ask the projects' own validators and write test/fixtures/webhooks: --questions N --seed S [PROJECT...]",
      exec: 'tsx test/e2e/webhooks/record.ts',
      receiveArgs: true,
    });
    this.addTask('bench:check', {
      description:
        'Measure synth and checks at 1,000 and 10,000 objects, a cold check, and the time to load the package',
      exec: 'tsx bench/check.ts',
      receiveArgs: true,
    });
    this.addTask('bench:hostile', {
      description:
        'Check objects with very many entries or very long texts in each field: --entries N --seconds S --only TEXT --shard I/N',
      exec: 'tsx bench/hostile.ts',
      receiveArgs: true,
    });
    this.addTask('bench:pulumi', {
      description:
        'Measure a preview through GantryStack beside plain @pulumi/kubernetes: --objects N --runs N (needs Go)',
      exec: 'tsx bench/pulumi.ts',
      receiveArgs: true,
    });
    this.addTask('bundle:runtime', {
      description: 'Bundle the programs of src/runtime into lib/bundles, one file each',
      exec: BUNDLE_RUNTIME,
    });
    this.addTask('bench:agent', {
      description: 'Measure CPU time and memory of one node agent: --seconds N --pods N',
      exec: 'tsx bench/agent.ts',
      receiveArgs: true,
    });
    this.addTask('bench:agents', {
      description: 'Measure what node agents cost a live API server: --agents N --seconds N',
      exec: 'tsx bench/agents.ts',
      receiveArgs: true,
    });
    this.addTask('bench:e2e', {
      description:
        'Measure the scheduler against kube-scheduler on a live API server: --nodes N --pods N --soak MINUTES',
      exec: 'tsx bench/e2e.ts',
      receiveArgs: true,
    });
    this.addTask('bench:docker', {
      description:
        'Measure the Docker runner on a real engine: --only decision|queue|latency|idle|shell-loop|soak (needs Go)',
      exec: 'tsx bench/docker.ts',
      receiveArgs: true,
    });
    this.addTask('bench:cycle', {
      description: 'Measure what one arriving gang costs the scheduler program: --nodes N --pods N --waiting N',
      exec: 'tsx bench/cycle.ts',
      receiveArgs: true,
    });
    this.addTask('conformance', {
      description:
        'Run scheduler cases (FILE..., or all of test/fixtures/cases) through the placement core and print JSON',
      exec: 'tsx bench/conformance/main.ts',
      receiveArgs: true,
    });
    this.addTask('bench:fgd', {
      description: 'Measure placement quality on GPU traces against published baselines: TRACE...',
      exec: 'tsx bench/fgd.ts',
      receiveArgs: true,
    });
    this.addTask('bench:guarantees', {
      description: 'Check the guarantees of the placement core over many random clusters: --runs N --seed S',
      steps: bundled('guarantees'),
    });
    this.addTask('bench:sizing', {
      description:
        'Compare gantry size with exhaustive search and with held-back traces: --worlds N --traces N --seed S',
      exec: 'tsx bench/sizing.ts',
      receiveArgs: true,
    });
    this.addTask('bench:placement', {
      description: 'Measure the speed and memory of the placement core against a plain loop',
      steps: bundled('placement'),
    });
    // A checkout has a working command right after `npm ci`; a published package is built already and has no tsconfig.
    this.package.setScript(
      'postprepare',
      'tsx projen/link-commands.ts && tsc --build tsconfig.json && tsx projen/runtime/bundle.ts',
    );
  }
}

/** Runs a benchmark as it is published: what runs TypeScript directly wraps every function. */
function bundled(bench: string): TaskStep[] {
  const file = `node_modules/.cache/bench-${bench}.cjs`;
  return [
    { exec: `esbuild bench/${bench}.ts --bundle --platform=node --log-level=warning --outfile=${file}` },
    { exec: `node ${file}`, receiveArgs: true },
  ];
}

function compilerOptions(more: javascript.TypeScriptCompilerOptions): javascript.TypeScriptCompilerOptions {
  return {
    target: 'ES2022',
    module: 'node16',
    declarationMap: false,
    moduleResolution: javascript.TypeScriptModuleResolution.NODE16,
    types: ['node'],
    declaration: true,
    inlineSourceMap: false,
    inlineSources: false,
    noImplicitOverride: true,
    exactOptionalPropertyTypes: false,
    skipLibCheck: true,
    ...more,
  };
}

/** Arguments reach a command as they were typed, regular expressions and names with spaces among them: no shell reads them again. */
function withPlainArguments<T extends Pick<TaskStep, 'exec' | 'execArgs' | 'receiveArgs'>>(step: T): T {
  return step.exec === undefined || step.receiveArgs !== true
    ? step
    : { ...step, exec: undefined, execArgs: step.exec.split(' ') };
}
