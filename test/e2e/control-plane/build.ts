/**
 * Builds the control plane's programs from the Go module proxy, each once per version.
 *
 * They are not downloaded ready-made, since the module proxy is the one source that is both pinned (`go.sum`) and everywhere.
 */
import { buildGoProgram, whyNoPrograms } from '../go-program';
import { components, MODULE_FOLDER, programPath, type ComponentName } from './components';

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
  return whyNoPrograms(components().map(programPath), 'the control plane');
}

/**
 * The paths of the programs; builds those that the cache does not hold.
 * @throws where `go build` fails, with what it printed
 */
export function buildPrograms({ print, only }: BuildOptions): Programs {
  for (const component of components().filter(({ name }) => only === undefined || only.includes(name))) {
    buildGoProgram(
      {
        target: programPath(component),
        folder: MODULE_FOLDER,
        package: component.package,
        linkerFlags: `-X k8s.io/component-base/version.gitVersion=${component.version}`,
      },
      print,
    );
  }
  return Object.fromEntries(components().map((component) => [component.name, programPath(component)])) as Programs;
}

if (require.main === module) {
  const reason = whyNotBuildable();
  if (reason !== undefined) {
    console.log(`control plane not built: ${reason}`);
  } else {
    buildPrograms({ print: (line) => console.log(line) });
  }
}
