/**
 * The scheduler's pod: no more rights than it needs on its node, a file system that it cannot write, and probes that say when it is stuck.
 */
import { type Container, type PodSpec, type VolumeMount } from '../../facts/api/types/core/v1';
import { PROGRAM_MOUNT, programCommand, programVolume } from '../bundled/program-objects';
import { type Amounts, amountsByName } from '../pods/amounts';
import { parseQuantity } from '../../manifests/values/quantity';
import { CONFIGURATION_KEY } from '../../planning/scheduler-settings/deployment-names';
import { type PriorityClassReference } from '../resources/references';
import { type SchedulerImage } from './image';

export const HTTP_PORT = 10270;
export const HTTP_PORT_NAME = 'http';

/** Resources of the scheduler's container. */
export interface PodResources {
  /** Requests of the container. @default - 500m CPU and 256Mi of memory */
  readonly requests?: Pick<Amounts, 'cpu' | 'memory'>;
  /** Limits of the container. @default - 512Mi of memory */
  readonly limits?: Pick<Amounts, 'cpu' | 'memory'>;
}

export interface SchedulerPodProps {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly image: SchedulerImage;
  /** Names of the ConfigMaps with the program; none where the image contains it. */
  readonly program: readonly string[];
  /** ConfigMap of the configuration. */
  readonly configuration: string;
  readonly serviceAccount: string;
  readonly resources?: PodResources;
  readonly priorityClass?: PriorityClassReference;
  readonly access: 'cluster' | 'always' | 'open';
  readonly clusterName?: string;
}

const DEFAULT_RESOURCES: PodResources = { requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '512Mi' } };
const CONFIGURATION_FOLDER = '/etc/gantry';
/** What V8 may have of the container's memory; the rest is for buffers and the program itself. */
const HEAP_SHARE = 0.75;
/** Seconds in which a cycle that is being carried out is finished or given up. */
const GRACE = 30;

export function schedulerPod(props: SchedulerPodProps): PodSpec {
  const { replicas, labels } = props;
  return {
    serviceAccountName: props.serviceAccount,
    priorityClassName: props.priorityClass?.name ?? 'system-cluster-critical',
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(replicas === 1 ? {} : { affinity: apart(labels) }),
    tolerations: [
      { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'CriticalAddonsOnly', operator: 'Exists' },
    ],
    containers: [containerOf(props)],
    volumes: [
      { name: 'configuration', configMap: { name: props.configuration } },
      ...(props.program.length === 0 ? [] : [programVolume(props.program)]),
    ],
  };
}

/** A node that fails must not take all replicas with it. */
function apart(labels: Readonly<Record<string, string>>): PodSpec['affinity'] {
  const term = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  return {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
  };
}

function containerOf(props: SchedulerPodProps): Container {
  const { image, program, access, name, clusterName } = props;
  const resources = props.resources ?? DEFAULT_RESOURCES;
  const heap = heapMebibytes(resources);
  const flags = [
    `--config=${CONFIGURATION_FOLDER}/${CONFIGURATION_KEY}`,
    '--address=0.0.0.0',
    `--port=${HTTP_PORT}`,
    `--authentication=${access === 'open' ? 'off' : access}`,
    `--lease-name=${name}`,
    ...(clusterName === undefined ? [] : [`--cluster-name=${clusterName}`]),
  ];
  const mounts: readonly VolumeMount[] = [
    { name: 'configuration', mountPath: CONFIGURATION_FOLDER, readOnly: true },
    ...(program.length === 0 ? [] : [PROGRAM_MOUNT]),
  ];
  return {
    name: 'scheduler',
    image: image.reference,
    ...(image.hasProgram ? {} : { command: programCommand(heap) }),
    args: flags,
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      ...(image.hasProgram && heap !== undefined
        ? [{ name: 'NODE_OPTIONS', value: `--max-old-space-size=${heap}` }]
        : []),
    ],
    ports: [{ name: HTTP_PORT_NAME, containerPort: HTTP_PORT }],
    resources: renderedResources(resources),
    startupProbe: { httpGet: { path: '/healthz', port: HTTP_PORT_NAME }, periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: {
      httpGet: { path: '/healthz', port: HTTP_PORT_NAME },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 6,
    },
    readinessProbe: { httpGet: { path: '/readyz', port: HTTP_PORT_NAME }, periodSeconds: 5, timeoutSeconds: 5 },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: mounts,
  };
}

function renderedResources({ requests, limits }: PodResources): NonNullable<Container['resources']> {
  return {
    ...(requests === undefined ? {} : { requests: amountsByName('resources.requests', requests) }),
    ...(limits === undefined ? {} : { limits: amountsByName('resources.limits', limits) }),
  };
}

function heapMebibytes({ limits = {} }: PodResources): number | undefined {
  const { memory } = amountsByName('resources.limits', limits);
  const bytes = memory === undefined ? undefined : parseQuantity(memory)?.toNumber();
  return bytes === undefined ? undefined : Math.floor((bytes * HEAP_SHARE) / 2 ** 20);
}
