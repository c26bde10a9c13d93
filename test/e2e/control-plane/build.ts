/**
 * Builds the control plane's programs from the Go module proxy, each once per version.
 *
 * They are not downloaded ready-made, since the module proxy is the one source that is both pinned (`go.sum`) and everywhere.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { availableParallelism } from 'node:os';
import { components, MODULE_FOLDER, programPath, type Component, type ComponentName } from './components';

export type Programs = Readonly<Record<ComponentName, string>>;

export interface BuildOptions {
  /** Called with what is being built and how long it took. */
  readonly print: (line: string) => void;
  /**
   * Build only these.
   * @default - all components
   */
  readonly only?: readonly ComponentName[];
}

/** What keeps this machine from building; `undefined` where nothing does. */
export function whyNotBuildable(): string | undefined {
  if (components().every((component) => existsSync(programPath(component)))) {
    return undefined;
  }
  const go = spawnSync('go', ['version'], { encoding: 'utf8' });
  return go.status === 0
    ? undefined
    : 'Go is not on this machine (no `go` in PATH), and the control plane is not in the cache.';
}

/**
 * The paths of the programs; builds those that the cache does not hold.
 * @throws where `go build` fails, with what it printed
 */
export async function buildPrograms({ print, only }: BuildOptions): Promise<Programs> {
  const wanted = components().filter(({ name }) => only === undefined || only.includes(name));
  const missing = wanted.filter((component) => !existsSync(programPath(component)));
  const started = Date.now();
  for (const [index, component] of missing.entries()) {
    print(
      `building ${component.name} ${component.version} (${index + 1} of ${missing.length}, ${availableParallelism()} cores) …`,
    );
    const begin = Date.now();
    await build(component);
    print(`built ${component.name} in ${seconds(Date.now() - begin)}`);
  }
  if (missing.length > 0) {
    print(`control plane built in ${seconds(Date.now() - started)}`);
  }
  return Object.fromEntries(components().map((component) => [component.name, programPath(component)])) as Programs;
}

async function build(component: Component): Promise<void> {
  const target = programPath(component);
  mkdirSync(dirname(target), { recursive: true });
  // Under a name of its own until it is whole: an interrupted build leaves nothing that looks finished.
  const partial = `${target}.${process.pid}`;
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${component.version}`;
  const child = spawn(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', flags, '-o', partial, component.package],
    {
      cwd: MODULE_FOLDER,
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const status = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (status !== 0) {
    throw new Error(`go build ${component.package} failed:\n${errors.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

if (require.main === module) {
  const reason = whyNotBuildable();
  if (reason !== undefined) {
    console.log(`control plane not built: ${reason}`);
  } else {
    buildPrograms({ print: (line) => console.log(line) }).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    });
  }
}
