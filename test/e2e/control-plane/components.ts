/**
 * What the control plane is made of, at which versions, and where the built programs are kept.
 *
 * The versions are in `go.mod` and nowhere else; those of API servers of other minors are in the `go.mod` of `minors/MINOR`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { cacheFolder, requiredVersion } from '../go-program';

export type ComponentName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-scheduler'
  | 'kube-controller-manager'
  | 'kwok'
  | 'kubeconform';

export interface Component {
  readonly name: ComponentName;
  /** The Go package of its `main`. */
  readonly package: string;
  /** Version of its module, `v1.36.3`. */
  readonly version: string;
  /** The folder of the `go.mod` that requires it, where `go build` runs. */
  readonly folder: string;
}

/** The folder of the components that are not of another minor. */
export const MODULE_FOLDER = __dirname;

const PACKAGES: readonly { readonly name: ComponentName; readonly module: string; readonly path: string }[] = [
  { name: 'etcd', module: 'go.etcd.io/etcd/server/v3', path: '' },
  { name: 'kube-apiserver', module: 'k8s.io/kubernetes', path: '/cmd/kube-apiserver' },
  { name: 'kubeconform', module: 'github.com/yannh/kubeconform', path: '/cmd/kubeconform' },
  { name: 'kube-controller-manager', module: 'k8s.io/kubernetes', path: '/cmd/kube-controller-manager' },
  { name: 'kube-scheduler', module: 'k8s.io/kubernetes', path: '/cmd/kube-scheduler' },
  { name: 'kwok', module: 'sigs.k8s.io/kwok', path: '/cmd/kwok' },
];

/**
 * The components with the versions that `go.mod` requires, in the order in which they are built.
 *
 * @param minor an API server of this minor instead; the other components stay
 * @throws Error where there is no module for it
 */
export function components(minor?: KubernetesMinor): readonly Component[] {
  return PACKAGES.map(({ name, module, path }) => {
    const folder = name === 'kube-apiserver' ? serverFolder(minor) : MODULE_FOLDER;
    return { name, package: `${module}${path}`, version: requiredVersion(folder, module), folder };
  });
}

/** The version of the API server, `v1.36.3`. */
export function kubernetesVersion(minor?: KubernetesMinor): string {
  return components(minor).find((component) => component.name === 'kube-apiserver')!.version;
}

/** The minor of the Kubernetes components, `1.36`. */
export function kubernetesMinor(): KubernetesMinor {
  const [major, minor] = kubernetesVersion().slice(1).split('.');
  return `${major}.${minor}` as KubernetesMinor;
}

function serverFolder(minor: KubernetesMinor | undefined): string {
  if (minor === undefined || minor === kubernetesMinor()) {
    return MODULE_FOLDER;
  }
  const folder = join(MODULE_FOLDER, 'minors', minor);
  if (!existsSync(join(folder, 'go.mod'))) {
    throw new Error(`There is no module for an API server of ${minor}: ${folder} has no go.mod.`);
  }
  return folder;
}

/** Environment variable that carries the folder of the suites' cluster from their setup to them. */
export const LIVE_CLUSTER = 'GANTRY_LIVE_CLUSTER';

/** Where the program is kept once it is built: a new version, or another platform, gets a folder of its own. */
export function programPath({ name, version }: Component): string {
  return join(cacheFolder(), 'control-plane', `${name}-${version}-${process.platform}-${process.arch}`, name);
}
