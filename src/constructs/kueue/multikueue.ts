/**
 * MultiKueue: the admission check by which a ClusterQueue of a manager cluster sends its workloads to worker clusters.
 */
import { Construct } from 'constructs';
import { MultiKueueConfig } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { dependOn } from '../resources/depend-on';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { Resource } from '../resources/resource';
import { AdmissionCheck, type AdmissionCheckReference } from './admission-check';
import { MULTIKUEUE_CONTROLLER } from '../../facts/catalog/kueue-names';
import { type MultiKueueClusterReference } from './multikueue-cluster';

/**
 * Props of MultiKueue.
 *
 * @beta
 */
export interface MultiKueueProps extends ClusterObjectProps, Overridable<MultiKueueConfig> {
  /**
   * Worker clusters, 1 to 20. All of them are asked at once, and the first that admits a workload runs it; with the incremental dispatcher in
   * the configuration of Kueue they are asked in this order, three every five minutes.
   */
  readonly clusters: readonly MultiKueueClusterReference[];
}

/**
 * A MultiKueueConfig and the AdmissionCheck that refers to it, both with one name. Pass it to `admissionChecks` of a ClusterQueue: the
 * workloads of the queue then run in one of the worker clusters, which need the same namespaces and local queues. Rules:
 * `kueue/multikueue-*`.
 *
 * Source: kueue, pkg/controller/admissionchecks/multikueue.
 *
 * @beta
 *
 * @example
 * const check = new kueue.MultiKueue(chart, 'workers', {
 *   clusters: [
 *     new kueue.MultiKueueCluster(chart, 'east', { access: { secret: 'east-kubeconfig' } }),
 *     new kueue.MultiKueueCluster(chart, 'west', { access: { secret: 'west-kubeconfig' } }),
 *   ],
 * });
 * new kueue.ClusterQueue(chart, 'training', {
 *   admissionChecks: [check],
 *   flavors: [
 *     {
 *       flavor: new kueue.ResourceFlavor(chart, 'any'),
 *       nominalQuota: { cpu: 512, memory: '4Ti', accelerators: Accelerator.nvidia({ count: 128 }) },
 *     },
 *   ],
 * });
 */
@publicClass('kueue.MultiKueue')
export class MultiKueue extends Construct implements AdmissionCheckReference {
  /** Always `AdmissionCheck`, the kind that references carry. */
  readonly kind = 'AdmissionCheck';
  /** Name of the AdmissionCheck and of the MultiKueueConfig. */
  readonly name: string;
  /** The AdmissionCheck object. */
  readonly resource: AdmissionCheck['resource'];
  /** The MultiKueueConfig object, which `overrides` changes. */
  readonly config: Resource<MultiKueueConfig>;

  /** @throws if there is no cluster, there are more than 20, or one is listed twice */
  constructor(scope: Construct, id: string, props: MultiKueueProps) {
    super(scope, id);
    this.name = props.name ?? id;
    const names = props.clusters.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (names.length < 1 || names.length > 20) {
      throw new Error(`clusters must list 1 to 20 worker clusters, not ${names.length}`);
    }
    if (twice !== undefined) {
      throw new Error(`clusters must list the worker cluster "${twice}" only once`);
    }
    this.config = new Resource(
      this,
      'Config',
      MultiKueueConfig,
      { metadata: clusterMetadata(id, props), spec: { clusters: names } },
      props.overrides,
    );
    const check = new AdmissionCheck(this, 'Check', {
      name: this.name,
      labels: props.labels,
      controllerName: MULTIKUEUE_CONTROLLER,
      parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'MultiKueueConfig', name: this.name },
    });
    this.resource = check.resource;
    dependOn(this.config, ...props.clusters);
    dependOn(this.resource, this.config);
  }
}
