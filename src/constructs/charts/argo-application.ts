/**
 * ArgoApplication: a chart of the catalog, installed and kept up to date by Argo CD.
 */
import { type Carried } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { Application } from '../../facts/api/types/argoproj.io/v1alpha1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { type AnyChart } from './chart-facts';
import { chartInstall, type ChartInstall, type ChartOptions } from './chart-install';
import { publicClass } from '../resources/public-class';

/** Props of an ArgoApplication. */
export interface ArgoApplicationProps<C extends AnyChart>
  extends ChartOptions<C>, Omit<NamespacedObjectProps, 'namespace'>, Overridable<Application> {
  /** Namespace of Argo CD's own objects. @default argocd */
  readonly argoNamespace?: string;
  /** Name of the AppProject. @default default */
  readonly project?: Carried<string>;
  /** API server of the cluster to install into. @default - the cluster that Argo CD runs in */
  readonly server?: Carried<string>;
  /** Whether Argo CD applies changes, reverts drift, and deletes removed objects automatically. @default true */
  readonly automated?: boolean;
}

/**
 * CRDs of several charts are too long for a client-side apply, so objects are always applied on the server's side.
 *
 * Rules: `charts/*`. Source: Argo CD, argoproj.io/v1alpha1; a registry is written without `oci://`.
 *
 * @example new charts.ArgoApplication(chart, 'kueue', { chart: 'kueue' });
 */
@publicClass('charts.ArgoApplication')
export class ArgoApplication<C extends AnyChart> extends Construct {
  /** The chart that the Application installs. */
  readonly install: ChartInstall;
  /** The Application object. */
  readonly resource: Resource<Application>;

  /** @throws if the catalog has no version of the chart and none is given */
  constructor(scope: Construct, id: string, props: ArgoApplicationProps<C>) {
    super(scope, id);
    const install = chartInstall(props);
    this.install = install;
    this.resource = new Resource(
      this,
      'Resource',
      Application,
      {
        metadata: namespacedMetadata(props.name ?? id, { ...props, namespace: props.argoNamespace ?? 'argocd' }),
        spec: {
          project: props.project ?? 'default',
          source: {
            repoURL: install.repository.replace(/^oci:\/\//, ''),
            chart: install.facts.name,
            targetRevision: install.version,
            helm: {
              releaseName: install.release,
              ...(Object.keys(install.values).length === 0 ? {} : { valuesObject: install.values }),
            },
          },
          destination: { server: props.server ?? 'https://kubernetes.default.svc', namespace: install.namespace },
          syncPolicy: {
            ...(props.automated === false ? {} : { automated: { prune: true, selfHeal: true } }),
            syncOptions: ['CreateNamespace=true', 'ServerSideApply=true'],
          },
        },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}
