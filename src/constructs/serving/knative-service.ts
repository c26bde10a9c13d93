/**
 * Knative Service: a server that Knative scales by its requests, down to none.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf, secondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import {
  type RevisionSpec,
  Service as ServiceKind,
  type ServiceSpec,
} from '../../facts/api/types/serving.knative.dev/v1';
import { PodTemplate, type PodProps } from '../pods';
import { type EnginesOf, MEANS_OF_SINGLE_PODS, NO_GANG, type SchedulingMeans } from '../workload/scheduling-means';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { isOnByDefault, neededFeatures } from './knative-features';
import { type KnativeScaling } from './knative-scaling';
import { publicClass } from '../resources/public-class';

/** Seconds that a new revision has to become ready. */
const PROGRESS_DEADLINE = 'serving.knative.dev/progress-deadline';

/**
 * The engines that can schedule a Knative Service, and the options that each accepts. A revision has only the pod fields that Knative
 * supports; scheduling gates are not among them.
 *
 * Source: Knative Serving, pkg/apis/serving/fieldmask.go; kueue, pkg/controller/jobs.
 */
const KNATIVE_SCHEDULING = {
  ...MEANS_OF_SINGLE_PODS,
  kueue: 'Kueue does not manage Knative Services. Use a Deployment (ServingEngine.deployment)',
  gantry: {
    refuses: {
      elastic: NO_GANG,
      handOver: 'Knative rejects scheduling gates. Remove handOver, so that Gantry binds the pods',
    },
  },
} as const satisfies SchedulingMeans;

/** Engines that can schedule a Knative Service. */
export type KnativeEngine = EnginesOf<typeof KNATIVE_SCHEDULING>;

/** Props of a KnativeService. */
export interface KnativeServiceProps extends PodProps, WorkloadProps<ServiceSpec, KnativeEngine> {
  /** How the service is scaled. @default - the cluster's: kpa by concurrency, target 100 */
  readonly scaling?: KnativeScaling;
  /** Requests that one replica gets at a time at most; others wait in a queue. 0 for no limit. @default 0 */
  readonly containerConcurrency?: number;
  /** Time for the answer to one request, up to the cluster's most (600). @default - the cluster's: 300 */
  readonly timeout?: Duration;
  /** Time that a new revision has to become ready. @default - the cluster's: 600 */
  readonly progressDeadline?: Duration;
  /** Name of the main container. @default - Knative's: user-container */
  readonly containerName?: string;
}

/**
 * A Knative Service (`serving.knative.dev/v1`).
 *
 * @example
 * const service = new serving.KnativeService(chart, 'chat', { image, scaling: serving.KnativeScaling.concurrency(10, { maxReplicas: 8 }) });
 * service.requiredFeatures; // what config-features must switch on
 */
@publicClass('serving.KnativeService')
export class KnativeService extends Workload<ServiceKind, ServiceSpec, KnativeEngine> {
  private readonly specNow: () => ServiceSpec;

  constructor(scope: Construct, id: string, props: KnativeServiceProps) {
    super(scope, id, {
      kind: ServiceKind,
      selects: (name) => ({ 'serving.knative.dev/service': name }),
      title: 'Knative Service',
      props,
      render: (choice) => specOf(props, choice),
      means: KNATIVE_SCHEDULING,
      references: new PodTemplate(props).references,
    });
    this.specNow = () => specOf(props, this.choice);
  }

  /** Switches of `config-features` that the service needs and that are disabled by default, in order. */
  get requiredFeatures(): readonly string[] {
    const pod = JSON.parse(JSON.stringify(this.specNow().template?.spec ?? {})) as JsonObject;
    const features = neededFeatures(pod)
      .map(({ feature }) => feature)
      .filter((feature) => !isOnByDefault(feature));
    return [...new Set(features)].sort();
  }
}

function specOf(props: KnativeServiceProps, choice: WorkloadChoice): ServiceSpec {
  const { scaling, containerConcurrency, timeout, progressDeadline, containerName } = props;
  const { metadata, spec } = new PodTemplate(props).toPodTemplate({
    ...choice,
    containerName,
  });
  const annotations = {
    ...scaling?.toAnnotations(),
    ...(progressDeadline === undefined
      ? {}
      : { [PROGRESS_DEADLINE]: `${secondsOf('progressDeadline', progressDeadline)}s` }),
    ...metadata?.annotations,
  };
  const limits = { containerConcurrency, timeoutSeconds: optionalSecondsOf('timeout', timeout) };
  const stated = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const pod = { ...stated, ...(containerName === undefined ? unnamed(spec) : spec) };
  return {
    template: {
      ...(Object.keys(annotations).length === 0 && metadata === undefined
        ? {}
        : { metadata: { ...metadata, annotations } }),
      // A revision has the fields of a pod that Knative knows; others are reported as unknown.
      spec: pod as unknown as RevisionSpec,
    },
  };
}

/** Knative names the container itself. */
function unnamed(spec: object | undefined): object {
  const { containers = [], ...pod } = (spec ?? {}) as { readonly containers?: readonly { readonly name?: string }[] };
  return {
    ...pod,
    containers: containers.map(({ name, ...container }) => (name === 'main' ? container : { name, ...container })),
  };
}
