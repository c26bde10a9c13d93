/**
 * HelmRelease: a chart of the catalog, installed and kept up to date by Flux.
 */
import { secondsOf } from '../resources/durations';
import { type ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { HelmRelease as HelmReleaseKind } from '../../facts/api/types/helm.toolkit.fluxcd.io/v2';
import { Kustomization } from '../../facts/api/types/kustomize.toolkit.fluxcd.io/v1';
import { GitRepository, HelmRepository } from '../../facts/api/types/source.toolkit.fluxcd.io/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { type AnyChart, TRAINING_OPERATOR } from './chart-facts';
import { chartInstall, type ChartInstall, type ChartOptions, isOci } from './chart-install';
import { publicClass } from '../resources/public-class';

/** Props of everything that Flux installs. */
interface FluxProps extends Omit<NamespacedObjectProps, 'namespace'> {
  /** Namespace of Flux' own objects. @default flux-system */
  readonly fluxNamespace?: string;
  /** How often Flux looks. @default 10 minutes */
  readonly interval?: Duration;
}

/** Props of a HelmRelease. */
export interface HelmReleaseProps<C extends AnyChart> extends ChartOptions<C>, FluxProps, Overridable<HelmReleaseKind> {
  /** How often a failed install or upgrade is tried again. @default 3 */
  readonly retries?: number;
}

const FLUX_NAMESPACE = 'flux-system';

/**
 * Rules: `charts/*`. Source: Flux, helm.toolkit.fluxcd.io/v2.
 *
 * @example new charts.HelmRelease(chart, 'volcano', { chart: 'volcano', values: { custom: { scheduler_replicas: 2 } } });
 */
@publicClass('charts.HelmRelease')
export class HelmRelease<C extends AnyChart> extends Construct {
  /** The chart that the HelmRelease installs. */
  readonly install: ChartInstall;
  /** The HelmRelease object. */
  readonly resource: Resource<HelmReleaseKind>;
  /** Where the chart comes from. */
  readonly repository: ApiObject;

  /** @throws if the catalog has no version of the chart and none is given */
  constructor(scope: Construct, id: string, props: HelmReleaseProps<C>) {
    super(scope, id);
    const install = chartInstall(props);
    const name = props.name ?? id;
    const namespace = props.fluxNamespace ?? FLUX_NAMESPACE;
    const every = interval(props);
    const remediation = { retries: props.retries ?? 3 };
    this.install = install;
    this.repository = new Resource(this, 'Repository', HelmRepository, {
      metadata: { name, namespace },
      spec: {
        interval: every,
        url: install.repository,
        ...(isOci(install.repository) ? { type: 'oci' as const } : {}),
      },
    });
    this.resource = new Resource(
      this,
      'Resource',
      HelmReleaseKind,
      {
        metadata: namespacedMetadata(name, { ...props, namespace }),
        spec: {
          interval: every,
          releaseName: install.release,
          targetNamespace: install.namespace,
          storageNamespace: install.namespace,
          chart: {
            spec: { chart: install.facts.name, version: install.version, sourceRef: { kind: 'HelmRepository', name } },
          },
          install: { createNamespace: true, crds: 'CreateReplace', remediation },
          upgrade: { crds: 'CreateReplace', remediation },
          ...(Object.keys(install.values).length === 0 ? {} : { values: install.values }),
        },
      },
      props.overrides,
    );
    this.resource.addDependency(this.repository);
    dependOn(this.resource, props.namespace);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

/** Props of a TrainingOperatorRelease. */
export interface TrainingOperatorReleaseProps extends FluxProps, Overridable<Kustomization> {
  /** Tag of the repository. @default - that of the catalog */
  readonly version?: string;
}

/**
 * The training-operator, which has no chart, from the folder of its repository. Flux applies it on the server's side.
 *
 * @example
 * new charts.TrainingOperatorRelease(chart, 'training-operator');
 */
@publicClass('charts.TrainingOperatorRelease')
export class TrainingOperatorRelease extends Construct {
  /** The Kustomization object. */
  readonly resource: Resource<Kustomization>;

  constructor(scope: Construct, id: string, props: TrainingOperatorReleaseProps = {}) {
    super(scope, id);
    const name = props.name ?? id;
    const namespace = props.fluxNamespace ?? FLUX_NAMESPACE;
    const source = new Resource(this, 'Repository', GitRepository, {
      metadata: { name, namespace },
      spec: {
        interval: interval(props),
        url: TRAINING_OPERATOR.repository,
        ref: { tag: props.version ?? TRAINING_OPERATOR.version },
      },
    });
    this.resource = new Resource(
      this,
      'Resource',
      Kustomization,
      {
        metadata: namespacedMetadata(name, { ...props, namespace }),
        spec: {
          interval: interval(props),
          path: `./${TRAINING_OPERATOR.path}`,
          prune: true,
          sourceRef: { kind: 'GitRepository', name },
        },
      },
      props.overrides,
    );
    this.resource.addDependency(source);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

function interval({ interval: every = Duration.minutes(10) }: FluxProps): string {
  return `${secondsOf('interval', every)}s`;
}
