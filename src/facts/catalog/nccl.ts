/**
 * NCCL environment variables: which there are, what they take, and what they are often mistaken for.
 *
 * Sources: NVIDIA, "NCCL environment variables" (user guide) and nccl v2.31 (src/transport/net_ib).
 */
import { frozen } from './frozen';

/** Tokens of `NCCL_ALGO`. */
export const NCCL_ALGORITHMS = ['Tree', 'Ring', 'CollNetDirect', 'CollNetChain', 'NVLS', 'NVLSTree', 'PAT'] as const;
/** An algorithm that `NCCL_ALGO` takes. */
export type NcclAlgorithm = (typeof NCCL_ALGORITHMS)[number];

/** Tokens of `NCCL_PROTO`. */
export const NCCL_PROTOCOLS = ['LL', 'LL128', 'Simple'] as const;
/** A protocol that `NCCL_PROTO` takes. */
export type NcclProtocol = (typeof NCCL_PROTOCOLS)[number];

/** Levels of `NCCL_DEBUG`, from least to most verbose. */
export const NCCL_DEBUG_LEVELS = ['VERSION', 'WARN', 'INFO', 'TRACE'] as const;
/** A level of `NCCL_DEBUG`. */
export type NcclDebugLevel = (typeof NCCL_DEBUG_LEVELS)[number];

/** How far apart two devices may be on a path: `LOC` (never), NVLink, one PCI switch, several, one NUMA node, across NUMA nodes. */
export const NCCL_PATH_LEVELS = ['LOC', 'NVL', 'PIX', 'PXB', 'PHB', 'SYS'] as const;
/** A distance between two devices of a node, as `NCCL_P2P_LEVEL` and `NCCL_NET_GDR_LEVEL` take it. */
export type NcclPathLevel = (typeof NCCL_PATH_LEVELS)[number];

/** An environment variable of NCCL. */
export interface NcclVariable {
  /** Name of the variable. */
  readonly name: `NCCL_${string}`;
  /** What it sets. */
  readonly meaning: string;
  /** The tokens that it accepts. Absent where they are not a closed list. */
  readonly tokens?: readonly string[];
  /** True where NVIDIA documents it as a debugging aid that should not be kept in production. Absent otherwise. */
  readonly debugOnly?: true;
  /** What it is often mistaken for, or breaks. Absent for most. */
  readonly note?: string;
}

/** The environment variables of NCCL that the catalog knows. */
export const NCCL_VARIABLES: readonly NcclVariable[] = frozen([
  {
    name: 'NCCL_SOCKET_IFNAME',
    meaning: 'IP interfaces for bootstrap and the socket transport: prefixes, =name for an exact one, ^ to exclude',
    note: 'does not choose the RDMA card; inside a pod the interface is eth0, ib0 exists on the host network only',
  },
  { name: 'NCCL_IB_HCA', meaning: 'RDMA cards for data: prefixes, =mlx5_0:1 for an exact card and port, ^ to exclude' },
  {
    name: 'NCCL_IB_DISABLE',
    meaning: '1 disables InfiniBand and RoCE',
    note: '0 is the default: RDMA is used where devices are visible',
  },
  {
    name: 'NCCL_IB_GID_INDEX',
    meaning: 'GID of the RoCE port',
    note: 'detected automatically since 2.21: a fixed 3 is wrong on many hosts',
  },
  {
    name: 'NCCL_IB_TC',
    meaning: 'traffic class of RoCE packets (DSCP times 4)',
    note: 'set only what the network team specifies',
  },
  { name: 'NCCL_IB_SL', meaning: 'service level of InfiniBand' },
  { name: 'NCCL_IB_TIMEOUT', meaning: 'verbs timeout exponent, default 20' },
  { name: 'NCCL_IB_RETRY_CNT', meaning: 'verbs retries, default 7' },
  { name: 'NCCL_IB_QPS_PER_CONNECTION', meaning: 'queue pairs of each connection' },
  {
    name: 'NCCL_CROSS_NIC',
    meaning: 'whether a ring may change cards between nodes: 0, 1, 2 (default)',
    tokens: ['0', '1', '2'],
  },
  {
    name: 'NCCL_NET_GDR_LEVEL',
    meaning: 'maximum distance between a GPU and a card for GPUDirect RDMA',
    tokens: NCCL_PATH_LEVELS,
  },
  { name: 'NCCL_P2P_LEVEL', meaning: 'maximum distance between two GPUs for direct copies', tokens: NCCL_PATH_LEVELS },
  {
    name: 'NCCL_DEBUG',
    meaning: 'log level',
    tokens: NCCL_DEBUG_LEVELS,
    note: 'INFO floods logs on large jobs',
  },
  { name: 'NCCL_DEBUG_SUBSYS', meaning: 'subsystems that log at level INFO, for example INIT,NET' },
  {
    name: 'NCCL_ALGO',
    meaning: 'algorithms: a comma list, ^ to exclude, func:list;func:list for single collectives',
    tokens: NCCL_ALGORITHMS,
    debugOnly: true,
    note: 'an unknown token fails the communicator: NCCL_ALGO=Ring/Tree ends in ncclInvalidUsage',
  },
  {
    name: 'NCCL_PROTO',
    meaning: 'protocols: a comma list, ^ to exclude, func:list;func:list for single collectives',
    tokens: NCCL_PROTOCOLS,
    debugOnly: true,
    note: 'LL128 corrupts data on hardware without atomic 128-byte stores',
  },
  { name: 'NCCL_P2P_DISABLE', meaning: '1 disables direct copies between GPUs', debugOnly: true },
  { name: 'NCCL_SHM_DISABLE', meaning: '1 disables shared memory', debugOnly: true },
  { name: 'NCCL_NVLS_ENABLE', meaning: '0 turns NVLink SHARP off' },
  { name: 'NCCL_BUFFSIZE', meaning: 'bytes of each channel buffer' },
]);

const byName = new Map(NCCL_VARIABLES.map((variable) => [variable.name as string, variable]));

/** What is known of an NCCL variable; `undefined` where it is not in the catalog. */
export function findNcclVariable(name: string): NcclVariable | undefined {
  return byName.get(name);
}

/**
 * The tokens of a value of `NCCL_ALGO` or `NCCL_PROTO` that NCCL does not know: empty for a good value.
 *
 * The value is a comma list, `^` in front excludes, and `func:list;func:list` says it for single collectives. Case does not count.
 */
export function unknownNcclTokens(variable: 'NCCL_ALGO' | 'NCCL_PROTO', value: string): readonly string[] {
  const known = new Set(
    (variable === 'NCCL_ALGO' ? NCCL_ALGORITHMS : NCCL_PROTOCOLS).map((token) => token.toLowerCase()),
  );
  return value
    .split(';')
    .map((clause) =>
      clause
        .slice(clause.indexOf(':') + 1)
        .trim()
        .replace(/^\^/, ''),
    )
    .flatMap((list) => list.split(','))
    .map((token) => token.trim())
    .filter((token) => token !== '' && !known.has(token.toLowerCase()));
}
