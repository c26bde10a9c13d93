/**
 * How nodes find each other where no controller tells them: the variables that `torchrun` and JAX read by themselves, so that a command
 * is the same under every engine.
 */
import { type EnvVarSource } from '../../facts/api/types/core/v1';
import { type PodTemplateProps } from '../pods';
import { type TrainingStatement } from './statement';

/** Port of the rendezvous, unless it is stated. */
export const RENDEZVOUS_PORT = 29500;

export interface Meeting {
  /** Host of node 0; may hold `$(VARIABLE)`. */
  readonly address: string;
  /** Where a pod reads its number, from 0. */
  readonly rank: EnvVarSource;
}

export function rendezvousEnv(statement: TrainingStatement, { address, rank }: Meeting): PodTemplateProps['env'] {
  const port = statement.port ?? RENDEZVOUS_PORT;
  const { nodes, elastic } = statement;
  if (statement.framework === 'jax') {
    return { JAX_COORDINATOR_ADDRESS: `${address}:${port}`, JAX_NUM_PROCESSES: String(nodes), JAX_PROCESS_ID: rank };
  }
  if (statement.framework !== 'pytorch') {
    return { NNODES: String(nodes), NODE_RANK: rank, MASTER_ADDR: address, MASTER_PORT: String(port) };
  }
  const processes = { PET_NPROC_PER_NODE: String(processesOf(statement) ?? 'auto') };
  return elastic === undefined
    ? {
        PET_NNODES: String(nodes),
        ...processes,
        PET_NODE_RANK: rank,
        PET_MASTER_ADDR: address,
        PET_MASTER_PORT: String(port),
      }
    : {
        PET_NNODES: `${elastic.min}:${elastic.max}`,
        ...processes,
        PET_RDZV_BACKEND: 'c10d',
        PET_RDZV_ENDPOINT: `${address}:${port}`,
        PET_MAX_RESTARTS: String(statement.retries ?? 10),
      };
}

/** A field of the pod itself. */
export function podField(fieldPath: string): EnvVarSource {
  return { fieldRef: { fieldPath } };
}

export function processesOf({ processesPerNode, accelerators }: TrainingStatement): number | undefined {
  return processesPerNode ?? accelerators?.count;
}
