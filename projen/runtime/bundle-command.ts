/**
 * Bundles the beginning of the command line, and `gantry check`, into one file each, since most of the time of a short check goes into finding
 * and reading hundreds of modules.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = resolve(__dirname, '../..');
const SOURCES = join(ROOT, 'src');
/** The bundles, and the modules that they begin with. */
const ENTRIES = {
  'lib/interfaces/cli/main-bundle.js': 'src/interfaces/cli/main.ts',
  'lib/interfaces/cli/check-bundle.js': 'src/interfaces/cli/check/check-command.ts',
} as const;
type CommandBundle = keyof typeof ENTRIES;
export const COMMAND_BUNDLES = Object.keys(ENTRIES) as readonly CommandBundle[];
/** The command line tells errors of its user from bugs by their class, which must be the same in both. */
const SHARED = 'manifests/input-error';

/** A module in the bundle finds files and loads modules as if it were still where the compiler writes it. */
const keepPaths: Plugin = {
  name: 'keep-paths',
  setup(bundler) {
    bundler.onResolve({ filter: /\/input-error$/ }, () => ({ path: `../../${SHARED}.js`, external: true }));
    bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const compiled = relative(SOURCES, path).replace(/\.ts$/, '.js').split('\\').join('/');
      return {
        loader: 'ts',
        contents: text
          .replace(/\b__filename\b/g, pathOf(compiled))
          .replace(/\b__dirname\b/g, pathOf(dirname(compiled))),
      };
    });
  },
};

/** Libraries that load a large module of Node at their start for what no command does. */
const LATE: readonly { readonly path: RegExp; readonly eager: string; readonly late: string }[] = [
  {
    path: /commander[\\/]lib[\\/]command\.js$/,
    eager: "const childProcess = require('node:child_process');",
    late: "const childProcess = { spawn: (...words) => require('node:child_process').spawn(...words) };",
  },
];

const loadLate: Plugin = {
  name: 'load-late',
  setup(bundler) {
    for (const { path, eager, late } of LATE) {
      bundler.onLoad({ filter: path }, (file) => {
        const text = readFileSync(file.path, 'utf8');
        return text.includes(eager)
          ? { loader: 'js', contents: text.replace(eager, late) }
          : { errors: [{ text: `${file.path} does not contain ${eager}` }] };
      });
    }
  },
};

function pathOf(compiled: string): string {
  return `builtPath(${JSON.stringify(compiled)})`;
}

/** @returns bytes of the bundle */
export async function bundleCommand(bundle: CommandBundle): Promise<number> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [ENTRIES[bundle]],
    outfile: join(ROOT, bundle),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // Text of ASCII alone is read in a fraction of the time.
    charset: 'ascii',
    // Names stay: the stack of an internal error is part of a report.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    external: ['@bufbuild/*', 'cdk8s', 'cdk8s-plus-*', 'constructs'],
    banner: { js: "const builtPath = (path) => require('node:path').join(__dirname, '../..', path);" },
    plugins: [keepPaths, loadLate],
    metafile: true,
    logLevel: 'error',
  });
  const { bytes, imports } = metafile.outputs[bundle];
  const outside = imports.filter(
    ({ path, external }) => external === true && !isBuiltin(path) && !path.endsWith(`${SHARED}.js`),
  );
  if (outside.length > 0) {
    const names = outside.map(({ path }) => path).join(', ');
    throw new Error(`${bundle} would load ${names} at its start: load it on demand, with createRequire, or bundle it`);
  }
  appendContents(join(ROOT, bundle));
  return bytes;
}

/** The command keeps what V8 compiled of the bundle for the next run, and knows by this line that it is the same bundle. */
function appendContents(file: string): void {
  appendFileSync(file, `// contents ${createHash('sha256').update(readFileSync(file)).digest('hex')}\n`);
}
