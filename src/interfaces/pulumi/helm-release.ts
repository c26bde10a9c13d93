/**
 * Charts that Pulumi installs: each `charts.PulumiRelease` of the tree as a `helm.v3.Release` of `@pulumi/kubernetes`.
 */
import * as pulumi from '@pulumi/pulumi';
import type * as Kubernetes from '@pulumi/kubernetes';
import { type IConstruct } from 'constructs';
import { isOci } from '../../constructs/charts/chart-install';
import { PulumiRelease } from '../../constructs/charts/pulumi-release';
import { formerPaths, type ObjectOptions } from './resource-options';
import { type Registration } from './object-resource';

/** A chart to install, where it is stated. */
export type HelmInstall = { readonly construct: PulumiRelease };

/** The charts below a construct that Pulumi installs. From here on their constructs count as installed. */
export function helmInstallsIn(scope: IConstruct): readonly HelmInstall[] {
  return scope.node
    .findAll()
    .filter((construct): construct is PulumiRelease => PulumiRelease.isPulumiRelease(construct))
    .map((construct) => ({ construct }));
}

/**
 * Registers a release, under its own name and with its version, so that what Pulumi installs is what `helm upgrade` would.
 *
 * @throws if `@pulumi/kubernetes` is not installed
 */
export function registerRelease(
  { construct }: HelmInstall,
  options: ObjectOptions,
  after: readonly pulumi.Input<pulumi.Resource>[],
  { parent, registry, nameOf }: Registration,
): pulumi.Resource {
  const { install } = construct;
  const { facts, repository, release, version, namespace } = install;
  const { provider, protect, retainOnDelete, customTimeouts, dependsOn } = options;
  const { helm } = kubernetes(construct.node.path);
  const values = registry.resolved(install.values, (output) => output, '') as Record<string, unknown>;
  return new helm.v3.Release(
    nameOf(construct.node.path),
    {
      name: release,
      chart: isOci(repository) ? `${repository}/${facts.name}` : facts.name,
      ...(isOci(repository) ? {} : { repositoryOpts: { repo: repository } }),
      version,
      namespace,
      createNamespace: true,
      ...(Object.keys(values).length === 0 ? {} : { values }),
    },
    {
      parent,
      dependsOn: [...after, ...(dependsOn ?? [])],
      aliases: formerPaths(construct).map((path) => ({ name: nameOf(path) })),
      ...(provider === undefined ? {} : { provider }),
      ...(protect === undefined ? {} : { protect }),
      ...(retainOnDelete === undefined ? {} : { retainOnDelete }),
      ...(customTimeouts === undefined ? {} : { customTimeouts }),
    },
  );
}

function kubernetes(path: string): typeof Kubernetes {
  try {
    // oxlint-disable-next-line typescript/no-require-imports -- loaded only for releases: it takes seconds
    return require('@pulumi/kubernetes') as typeof Kubernetes;
  } catch {
    throw new pulumi.RunError(
      `${path}: a Helm release requires @pulumi/kubernetes. Run npm install @pulumi/kubernetes.`,
    );
  }
}
