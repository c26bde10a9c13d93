/**
 * `cdk8s.yaml`: what cdk8s-cli knows of an app.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { asObject, asString, stringsIn } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { readText } from '../../checks/read-files';
import { crdsIn, type CheckFlags } from '../check/check-options';
import { placeOf } from '../inputs';
import { type Settings } from '../settings/settings';
import { UsageError } from '../terminal';

export const APP_CONFIG_FILE = 'cdk8s.yaml';

export interface AppConfig {
  readonly app?: string;
  readonly output?: string;
  /** What `cdk8s import` generates code from. */
  readonly imports: readonly string[];
}

/**
 * Reads the file of the working folder; nothing is set if there is none.
 *
 * @throws UsageError if the file cannot be read
 */
export function readAppConfig(cwd: string): AppConfig {
  if (!existsSync(join(cwd, APP_CONFIG_FILE))) {
    return { imports: [] };
  }
  const value = parseValue(readText(APP_CONFIG_FILE, cwd), APP_CONFIG_FILE);
  if ('problem' in value) {
    throw new UsageError(`${placeOf(value.problem)}: ${value.problem.message}`);
  }
  const { app, output, imports } = asObject(value.value);
  return { app: asString(app), output: asString(output), imports: stringsIn(imports) };
}

/** The imports that are files here: the CRDs that the app was generated from, and that its objects are checked against. */
function crdImports({ imports }: AppConfig, cwd: string): readonly string[] {
  return imports
    .map((source) => source.split(':=').at(-1) ?? '')
    .filter((path) => /\.(ya?ml|json)$/.test(path) && existsSync(join(cwd, path)));
}

/** The same settings, in which the CRDs that the app imports are known as well. */
export function withImportedCrds<F extends CheckFlags>(
  { flags, options }: Pick<Settings<F>, 'flags' | 'options'>,
  config: AppConfig,
  cwd: string,
): Pick<Settings<F>, 'flags' | 'options'> {
  const { crd = [] } = flags;
  const more = crdImports(config, cwd).filter(
    (path) => !crd.some((known) => resolve(cwd, known) === resolve(cwd, path)),
  );
  if (more.length === 0) {
    return { flags, options };
  }
  const imported = more.flatMap((path) => crdsIn(path, cwd));
  return {
    flags: { ...flags, crd: [...crd, ...more] },
    options: { ...options, crds: [...(options.crds ?? []), ...imported] },
  };
}
