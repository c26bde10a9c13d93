/**
 * Builds the control plane's programs from the Go module proxy, each once per version.
 *
 * They are not downloaded ready-made, since the module proxy is the one source that is both pinned (`go.sum`) and everywhere.
 */
import { buildGoProgram, whyNoPrograms } from '../go-program';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { components, programPath, type ComponentName } from './components';

export type Programs = Readonly<Record<ComponentName, string>>;

export interface BuildOptions {
  /** Called with what is being built and how long it took. */
  readonly print: (line: string) => void;
  /**
   * Build only these.
   * @default - all components
   */
  readonly only?: readonly ComponentName[];
  /**
   * The minor of the API server.
   * @default - that of the other components
   */
  readonly minor?: KubernetesMinor;
}

/** What keeps this machine from building; `undefined` where nothing does. */
export function whyNotBuildable(): string | undefined {
  return whyNoPrograms(components().map(programPath), 'the control plane');
}

/**
 * The paths of the programs; builds those that the cache does not hold.
 * @throws where `go build` fails, with what it printed
 */
export function buildPrograms({ print, only, minor }: BuildOptions): Programs {
  const wanted = components(minor);
  for (const component of wanted.filter(({ name }) => only === undefined || only.includes(name))) {
    buildGoProgram(
      {
        target: programPath(component),
        folder: component.folder,
        package: component.package,
        linkerFlags: `-X k8s.io/component-base/version.gitVersion=${component.version}`,
      },
      print,
    );
  }
  return Object.fromEntries(wanted.map((component) => [component.name, programPath(component)])) as Programs;
}

if (require.main === module) {
  const reason = whyNotBuildable();
  if (reason !== undefined) {
    console.log(`control plane not built: ${reason}`);
  } else {
    buildPrograms({ print: (line) => console.log(line) });
  }
}
