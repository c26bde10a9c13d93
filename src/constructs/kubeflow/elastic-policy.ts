/**
 * An elastic PyTorchJob: it runs on any number of nodes between a minimum and a maximum, and nodes can join and leave.
 */
import { type PyTorchJobSpecElasticPolicy } from '../../facts/api/types/kubeflow.org/v1';
import { type MetricSpec } from '../../facts/api/types/autoscaling/v2';
import { type RendezvousBackend } from './frameworks';

/** How the number of workers of a PyTorchJob may change. */
export interface ElasticProps {
  /** Fewest nodes with which training goes on, at least 1. */
  readonly min: number;
  /** Most nodes that take part. */
  readonly max: number;
  /** How many times a node restarts its processes after a failure; torchrun's own default is 0. @default 10 */
  readonly maxRestarts?: number;
  /** How workers find each other. @default c10d, which needs no server */
  readonly rdzvBackend?: RendezvousBackend;
  /** Where the nodes meet. Needed for etcd. @default - worker 0 of the job */
  readonly rdzvHost?: string;
  /** Port of the rendezvous. @default - the job's port */
  readonly rdzvPort?: number;
  /** Identifies the job among those that share a rendezvous server. @default - none */
  readonly rdzvId?: string;
  /** Further settings of the backend, for example `{ join_timeout: '600' }`. @default - none */
  readonly rdzvConf?: Readonly<Record<string, string>>;
  /** Metrics by which a HorizontalPodAutoscaler sets the number of nodes. @default - no autoscaler */
  readonly metrics?: readonly MetricSpec[];
}

/** @throws if the bounds are not whole numbers in order, or the nodes lie outside of them */
export function requireElasticRange({ min, max }: { readonly min: number; readonly max: number }, nodes: number): void {
  if (!Number.isInteger(min) || !Number.isInteger(max) || min < 1 || min > max) {
    throw new Error(`elastic min ${min}, max ${max}: must be whole numbers with 1 <= min <= max.`);
  }
  if (nodes < min || nodes > max) {
    throw new Error(`nodes ${nodes}: must be from elastic min ${min} to max ${max}.`);
  }
}

/**
 * @throws if the bounds are not whole numbers in order, or the nodes lie outside of them
 */
export function elasticPolicyOf(props: ElasticProps, nodes: number): PyTorchJobSpecElasticPolicy {
  requireElasticRange(props, nodes);
  const conf = Object.entries(props.rdzvConf ?? {}).map(([key, value]) => ({ key, value }));
  return {
    rdzvBackend: props.rdzvBackend ?? 'c10d',
    minReplicas: props.min,
    maxReplicas: props.max,
    maxRestarts: props.maxRestarts ?? 10,
    rdzvHost: props.rdzvHost,
    rdzvPort: props.rdzvPort,
    rdzvId: props.rdzvId,
    // The operator panics at an empty list.
    rdzvConf: conf.length === 0 ? undefined : conf,
    metrics: props.metrics,
  };
}
