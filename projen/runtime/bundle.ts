/**
 * Bundles a program of `src/runtime/` into one CommonJS file for Node 20 and newer, so that it runs on a stock Node image.
 *
 * Equal sources give equal bytes: no paths of this machine, no times, a fixed order. What the program does not use of its libraries is left
 * out by name, since their own files do not let a bundler see it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { bundleRecord } from './build-record';
import { bundleCommand, COMMAND_BUNDLES } from './bundle-command';
import { LAZY_ENTRY, writeLazyEntry } from './lazy-entry';

const ROOT = resolve(__dirname, '../..');

export interface Bundle {
  /** Entry, from the project's root. */
  readonly entry: string;
  /** What is written, from the project's root. */
  readonly output: string;
}

export const SCHEDULER_BUNDLE: Bundle = { entry: 'src/runtime/kubernetes/main.ts', output: 'lib/bundles/scheduler.js' };
export const AGENT_BUNDLE: Bundle = { entry: 'src/runtime/agent/main.ts', output: 'lib/bundles/node-agent.js' };
export const REMEDIATION_BUNDLE: Bundle = {
  entry: 'src/runtime/remediation/main.ts',
  output: 'lib/bundles/remediation.js',
};
/** What the command line reads a running cluster with. */
export const LIVE_BUNDLE: Bundle = {
  entry: 'src/interfaces/live/main.ts',
  output: 'lib/interfaces/cli/live-bundle.js',
};

/**
 * - The Kubernetes client is only asked for addresses and credentials: its generated API stays out.
 * - SOCKS agents are made by its request functions, which are not used.
 * - The auth providers `gcp` and `azure` ended with kubectl 1.26, and `oidc` asks for a client of its own: exec plugins do all of that.
 * - Of node-fetch only the class of headers is used, which Node has.
 * - A kubeconfig is read by the parser that reads the program's own configuration.
 */
const LEFT_OUT: readonly { readonly path: RegExp; readonly importer: RegExp; readonly text: string }[] = [
  {
    path: /^\.\/gen\/index\.js$/,
    importer: /@kubernetes\/client-node\/dist\/config\.js$/,
    text: 'export const createConfiguration = undefined; export const ServerConfiguration = undefined;',
  },
  { path: /^socks-proxy-agent$/, importer: /client-node/, text: 'export const SocksProxyAgent = undefined;' },
  {
    path: /^jsonpath-plus$/,
    importer: /client-node/,
    text: `export const JSONPath = ${refusal('The auth providers gcp and azure')};`,
  },
  {
    path: /^openid-client$/,
    importer: /client-node/,
    text: `export const discovery = ${refusal('The auth provider oidc')}; export const refreshTokenGrant = discovery;`,
  },
  {
    path: /^js-yaml$/,
    importer: /client-node/,
    text: "import { parse } from 'yaml'; export default { load: parse };",
  },
  { path: /^node-fetch$/, importer: /client-node/, text: 'export const Headers = globalThis.Headers;' },
];

const leaveOut: Plugin = {
  name: 'leave-out',
  setup(bundler) {
    bundler.onResolve({ filter: /./ }, ({ path, importer }) => {
      const index = LEFT_OUT.findIndex((one) => one.path.test(path) && one.importer.test(importer));
      return index < 0 ? undefined : { path: String(index), namespace: 'left-out' };
    });
    bundler.onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
      contents: LEFT_OUT[Number(path)].text,
      loader: 'js',
      resolveDir: ROOT,
    }));
  },
};

/** Facts are values: a module of them that nothing uses is left out. */
const factsOnly: Plugin = {
  name: 'facts-only',
  setup(bundler) {
    bundler.onResolve({ filter: /\.\.?\// }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === factsOnly.name || importer.includes('node_modules')) {
        return undefined;
      }
      const found = await bundler.resolve(path, { importer, resolveDir, kind, pluginData: factsOnly.name });
      return found.path.startsWith(join(ROOT, 'src/facts/')) ? { ...found, sideEffects: false } : undefined;
    });
  },
};

/** What modules load where they first need it; a program that is one file has it in the file. */
const loadedInside: Plugin = {
  name: 'loaded-inside',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const [, loader = 'createRequire\\(__filename\\)'] =
        /const (\w+) = createRequire\(__filename\);/.exec(text) ?? [];
      return { contents: text.replace(new RegExp(`\\b${loader}\\((?=\\s*')`, 'g'), 'require('), loader: 'ts' };
    });
  },
};

function refusal(what: string): string {
  return `() => { throw new Error(${JSON.stringify(`${what} of a kubeconfig cannot be used here: take an exec plugin, a token or a certificate.`)}); }`;
}

/**
 * @param to the folder that `output` starts from
 * @returns bytes of the bundle
 */
export async function writeBundle({ entry, output }: Bundle, root = ROOT, to = root): Promise<number> {
  const outfile = join(to, output);
  mkdirSync(dirname(outfile), { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    legalComments: 'none',
    charset: 'utf8',
    external: ['cdk8s', 'cdk8s-plus-28', 'constructs'],
    plugins: [leaveOut, factsOnly, loadedInside],
    metafile: true,
    logLevel: 'error',
  });
  const foreign = Object.keys(metafile.inputs).filter((input) =>
    /node_modules\/(cdk8s|cdk8s-plus-28|constructs)\//.test(input),
  );
  const asked = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ path }) => /^(cdk8s|constructs)/.test(path));
  if (foreign.length > 0 || asked.length > 0) {
    throw new Error(
      `${entry} reaches the construct library, which does not belong into a program: ${[...foreign, ...asked.map(({ path }) => path)].join(', ')}`,
    );
  }
  return Object.values(metafile.outputs)[0].bytes;
}

/** Compresses a bundle that travels in ConfigMaps. */
function compress(output: string): void {
  const file = join(ROOT, output);
  writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
}

async function main(): Promise<void> {
  const record = bundleRecord(ROOT);
  if (record.isCurrent()) {
    console.log('The bundles are those of these sources.');
    return;
  }
  console.log(`${LAZY_ENTRY}: ${writeLazyEntry()} exports`);
  const traveling = [SCHEDULER_BUNDLE, AGENT_BUNDLE, REMEDIATION_BUNDLE].map(({ output }) => output);
  const bundles = [SCHEDULER_BUNDLE, AGENT_BUNDLE, REMEDIATION_BUNDLE, LIVE_BUNDLE];
  const sizes = await Promise.all([
    ...COMMAND_BUNDLES.map((bundle) => bundleCommand(bundle)),
    ...bundles.map((bundle) => writeBundle(bundle)),
  ]);
  traveling.forEach((output) => compress(output));
  const outputs = [...COMMAND_BUNDLES, ...bundles.map(({ output }) => output)];
  outputs.forEach((output, index) => console.log(`${output}: ${Math.round(sizes[index] / 1024)} KiB`));
  record.write([LAZY_ENTRY, ...outputs, ...traveling.map((output) => `${output}.br`)]);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
