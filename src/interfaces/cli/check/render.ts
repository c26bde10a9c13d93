/**
 * Manifests that another program renders: kustomize and Helm, as they are installed where Gantry runs.
 */
import type * as ChildProcess from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest, type SourceProblem } from '../../../manifests/manifest';
import { asObject, asString } from '../../../manifests/read';
import { parseValue, parseYaml, type Parsed } from '../../../manifests/yaml';
import { UsageError, type Terminal } from '../terminal';

export interface HelmOptions {
  /** Files with values. */
  readonly values?: readonly string[];
  /** `key=value`. */
  readonly set?: readonly string[];
  readonly release?: string;
  readonly namespace?: string;
  /** Kubernetes minor that the chart is rendered for. */
  readonly kubernetes: string;
}

const ORIGIN = 'config.kubernetes.io/origin';
const MAX_OUTPUT = 1 << 30;

interface Output {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without a shell; `undefined` where it is not installed. */
async function runProgram(
  program: string,
  words: readonly string[],
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<Output | undefined> {
  // Most checks render nothing, and do not wait for Node to load this.
  const { execFile } = createRequire(__filename)('node:child_process') as typeof ChildProcess;
  return new Promise((done, failed) => {
    execFile(
      program,
      [...words],
      { cwd, env: { ...env }, encoding: 'utf8', maxBuffer: MAX_OUTPUT },
      (error, stdout, stderr) => {
        if (error === null) {
          done({ status: 0, stdout, stderr });
        } else if (typeof error.code === 'number') {
          done({ status: error.code, stdout, stderr });
        } else if ((error.code as unknown) === 'ENOENT') {
          done(undefined);
        } else {
          failed(new UsageError(`${program}: ${error.message.split('\n')[0]}`));
        }
      },
    );
  });
}

/**
 * What `kustomize build` makes of a folder. An object's file is the one that it comes from, as far as kustomize tells.
 *
 * @throws UsageError if neither kustomize nor kubectl is installed, or if they fail
 */
export async function renderKustomize(folder: string, terminal: Pick<Terminal, 'cwd' | 'env'>): Promise<Parsed> {
  const flag = `--kustomize ${folder}`;
  const full = resolve(terminal.cwd, folder);
  const isLocal = statSync(full, { throwIfNoEntry: false })?.isDirectory() === true;
  const wrapper = isLocal ? wrapped(realpathSync(full)) : undefined;
  try {
    // A Component cannot be wrapped; errors of a folder are reported without the wrapper, too.
    const traced = wrapper === undefined ? undefined : await kustomize(wrapper, flag, terminal);
    const output = traced?.status === 0 ? traced : await kustomize(folder, flag, terminal);
    if (output.status !== 0) {
      throw new UsageError(`${flag}: ${reasonIn(output)}`);
    }
    const parsed = parseYaml(output.stdout, flag);
    const base = traced?.status === 0 && wrapper !== undefined ? wrapper : full;
    return { ...parsed, ...relocated(parsed, (manifest) => kustomizeOrigin(manifest, base, terminal.cwd, flag)) };
  } finally {
    if (wrapper !== undefined) {
      rmSync(wrapper, { recursive: true, force: true });
    }
  }
}

/** A Kustomization that takes the folder as it is, and asks for the origin of each object. */
function wrapped(folder: string): string {
  const wrapper = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-kustomize-')));
  const kustomization = { resources: [relative(wrapper, folder)], buildMetadata: ['originAnnotations'] };
  writeFileSync(join(wrapper, 'kustomization.yaml'), stringify(kustomization));
  return wrapper;
}

async function kustomize(folder: string, flag: string, terminal: Pick<Terminal, 'cwd' | 'env'>): Promise<Output> {
  const output =
    (await runProgram('kustomize', ['build', folder], terminal)) ??
    (await runProgram('kubectl', ['kustomize', folder], terminal));
  if (output === undefined) {
    throw new UsageError(`${flag}: requires kustomize or kubectl in PATH; install one of them`);
  }
  return output;
}

function kustomizeOrigin(manifest: Manifest, base: string, cwd: string, flag: string): Manifest {
  const { [ORIGIN]: origin, ...annotations } = asObject(asObject(manifest.object.metadata).annotations);
  const text = asString(origin);
  if (text === undefined) {
    return { ...manifest, origin: { file: flag } };
  }
  const parsed = parseValue(text, flag);
  const { path, configuredIn } = asObject('value' in parsed ? parsed.value : {});
  const source = asString(path) ?? asString(configuredIn);
  const file = source === undefined ? undefined : resolve(base, source);
  return {
    ...manifest,
    object: withAnnotations(manifest.object, annotations),
    origin: { file: file === undefined || !existsSync(file) ? (source ?? flag) : relative(cwd, file) },
  };
}

/** The object as it is without the annotation that Gantry asked for. */
function withAnnotations(object: JsonObject, annotations: JsonObject): JsonObject {
  const metadata = { ...asObject(object.metadata), annotations };
  return {
    ...object,
    metadata: Object.fromEntries(
      Object.entries(metadata).filter(([key]) => key !== 'annotations' || Object.keys(annotations).length > 0),
    ),
  };
}

/**
 * What `helm template` makes of a chart. An object's file is the template that it comes from.
 *
 * @throws UsageError if helm is not installed, or if it fails
 */
export async function renderHelm(
  chart: string,
  options: HelmOptions,
  terminal: Pick<Terminal, 'cwd' | 'env'>,
): Promise<Parsed> {
  const flag = `--helm ${chart}`;
  const { values = [], set = [], release = 'release', namespace, kubernetes } = options;
  const words = [
    'template',
    release,
    chart,
    '--include-crds',
    '--kube-version',
    kubernetes,
    ...values.flatMap((file) => ['--values', file]),
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
  ];
  const output = await runProgram('helm', words, terminal);
  if (output === undefined) {
    throw new UsageError(`${flag}: requires helm in PATH; install it`);
  }
  if (output.status !== 0) {
    throw new UsageError(`${flag}: ${reasonIn(output)}`);
  }
  const parsed = parseYaml(output.stdout, flag);
  const sources = new HelmSources(output.stdout, chart, terminal.cwd);
  return {
    ...parsed,
    ...relocated(parsed, (manifest) => ({
      ...manifest,
      origin: { file: sources.fileAt(manifest.origin.locate?.('')?.line ?? 1) ?? flag },
    })),
  };
}

/** Helm writes `# Source: chart/templates/x.yaml` in front of each document. */
class HelmSources {
  private readonly sources: readonly { readonly line: number; readonly file: string }[];

  constructor(
    rendered: string,
    private readonly chart: string,
    private readonly cwd: string,
  ) {
    this.sources = rendered.split('\n').flatMap((text, index) => {
      const file = /^# Source: (.+)$/.exec(text)?.[1];
      return file === undefined ? [] : [{ line: index + 1, file: this.named(file.trim()) }];
    });
  }

  fileAt(line: number): string | undefined {
    return this.sources.findLast((source) => source.line <= line)?.file;
  }

  /** Helm begins with the name of the chart; a chart in a folder has its files there. */
  private named(source: string): string {
    const inChart = join(this.chart, source.replace(/^[^/]+\//, ''));
    return existsSync(resolve(this.cwd, inChart)) ? inChart : source;
  }
}

/** The objects with their sources instead of the rendered text, which is not a file that users can open. */
function relocated(
  { manifests, problems }: Parsed,
  place: (manifest: Manifest) => Manifest,
): Pick<Parsed, 'manifests' | 'problems'> {
  const placed = new Map(manifests.map((manifest) => [manifest, place(manifest)]));
  return {
    manifests: [...placed.values()],
    problems: problems.map((problem): SourceProblem => {
      const manifest = problem.manifest === undefined ? undefined : placed.get(problem.manifest);
      return manifest === undefined ? problem : { ...problem, file: manifest.origin.file ?? problem.file, manifest };
    }),
  };
}

/** What a program said went wrong, without the words that it begins every message with. */
function reasonIn({ status, stderr }: Output): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(WARNING|W\d{4}|# Warning)/.test(line));
  return (
    lines
      .slice(0, 3)
      .join(' ')
      .replace(/^error: /i, '') || `exit status ${status}`
  );
}
