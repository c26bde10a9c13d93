/**
 * The API report: every declaration that a user of the package can see, by entry point, as API Extractor prints it.
 * A test compares it with the build, so that a change of the surface is a diff that somebody reviews.
 *
 *     npm run generate:api-report
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, 'api');
const NAME = 'cdk8s-gantry';

/** Where API Extractor reads the declarations and writes its reports. */
const WORK = join(ROOT, '.cache/api-report');
const DECLARATIONS = join(WORK, 'lib');
const INSTALLED = join(WORK, 'node_modules', NAME);
const REPORTS = join(WORK, 'reports');

/** Types that are generated from upstream schemas are reviewed where they are generated. */
const GENERATED = 'facts/api/types/';
const FROM_GENERATED = /(['"])(?:\.{1,2}\/)+(?:facts\/|api\/)*types\/([^'"]+)\1/g;

/** Which quotation marks a declaration has depends on the version of the compiler that emitted it. */
const DOUBLE_QUOTED = /"([^"'\n]*)"/g;

interface EntryPoint {
  readonly title: string;
  readonly declarations: string;
}

/** The entry points whose declarations are written by hand. */
function entryPoints(): readonly EntryPoint[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' || path.includes('*')
      ? []
      : [{ title: path.replace('.', NAME).replace('/', '-'), declarations: resolve(WORK, target.types) }],
  );
}

/**
 * Copies the declarations of the build, with generated types imported as users import them, `cdk8s-gantry/api/core/v1`: API Extractor
 * then takes them for another package and names them in the report without their members.
 */
function copyDeclarations(): void {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });
  const paths = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.d.ts') && !path.startsWith(GENERATED),
  );
  for (const path of paths) {
    const target = join(DECLARATIONS, path);
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(join(ROOT, 'lib', path), 'utf8');
    writeFileSync(target, text.replace(FROM_GENERATED, `$1${NAME}/api/$2$1`));
  }
  // Of another name, or else the import of the package would be one of itself.
  writeFileSync(join(WORK, 'package.json'), JSON.stringify({ name: 'declarations', private: true }));
  mkdirSync(dirname(INSTALLED), { recursive: true });
  symlinkSync(ROOT, INSTALLED, 'junction');
}

function configOf({ title, declarations }: EntryPoint, all: readonly EntryPoint[]): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: WORK,
      mainEntryPointFilePath: declarations,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            lib: ['ES2023'],
            module: 'node16',
            moduleResolution: 'node16',
            types: ['node'],
            typeRoots: [join(ROOT, 'node_modules/@types')],
            strict: true,
            skipLibCheck: true,
          },
          files: all.map((entry) => entry.declarations),
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${title}.api.md`,
        reportFolder: REPORTS,
        reportTempFolder: join(WORK, 'temp'),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        // A public declaration that refers to a beta one promises more than it can keep.
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          'ae-incompatible-release-tags': { logLevel: ExtractorLogLevel.Error },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
      newlineKind: 'lf',
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(ROOT, 'package.json'),
  });
}

function extract(title: string, config: ExtractorConfig, compilerState: CompilerState): string {
  const problems: string[] = [];
  const { succeeded } = Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error) {
        problems.push(message.formatMessageWithLocation(WORK));
      }
      message.handled = true;
    },
  });
  if (!succeeded) {
    throw new Error(`API Extractor failed on ${title}:\n${problems.join('\n')}`);
  }
  return readFileSync(join(REPORTS, `${title}.api.md`), 'utf8')
    .replace(/^> Do not edit.*$/m, '> Generated by `npm run generate:api-report`. A change here is a change for users.')
    .replace(DOUBLE_QUOTED, "'$1'");
}

/** The reports by file path. */
export function apiReports(): ReadonlyMap<string, string> {
  copyDeclarations();
  const entries = entryPoints();
  const configs = entries.map((entry) => configOf(entry, entries));
  // One program for all entry points, which have most of their declarations in common.
  const compilerState = CompilerState.create(configs[0]);
  return new Map(
    entries.map(({ title }, index) => [join(FOLDER, `${title}.api.md`), extract(title, configs[index], compilerState)]),
  );
}

if (require.main === module) {
  const reports = apiReports();
  mkdirSync(FOLDER, { recursive: true });
  for (const file of readdirSync(FOLDER)) {
    if (![...reports.keys()].some((path) => basename(path) === file)) {
      rmSync(join(FOLDER, file));
    }
  }
  for (const [file, text] of reports) {
    writeFileSync(file, text);
    console.log(relative(ROOT, file));
  }
}
