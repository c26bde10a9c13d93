/**
 * How one model is started on the devices of several nodes: a closed choice, rendered as the commands of a leader and of its workers in a
 * LeaderWorkerSet. Numbers of nodes and devices follow from the statement.
 *
 * Sources: vLLM, docs/serving/parallelism_scaling.md and examples/online_serving/multi-node-serving.sh; SGLang, server arguments
 * (--dist-init-addr, --nnodes, --node-rank); LeaderWorkerSet (LWS_LEADER_ADDRESS, LWS_GROUP_SIZE, LWS_WORKER_INDEX).
 */
import { shellWord } from '../pods/shell';
import { publicClass } from '../resources/public-class';

/** What is known of one copy of the model. */
export interface GroupShape {
  /** Number of nodes of a group. */
  readonly nodes: number;
  /** Devices of each node. */
  readonly devices: number;
  /** Port that the leader serves on. */
  readonly port: number;
}

/** Commands of the pods of a group. */
export interface GroupCommands {
  /** Command of the leader. */
  readonly leader: readonly string[];
  /** Command of the workers. */
  readonly worker: readonly string[];
}

/** Options of vLLM over several nodes. */
export interface VllmOptions {
  /** Name of the model, or the folder where it is mounted. */
  readonly model: string;
  /** Devices that share each layer. @default - all of a node */
  readonly tensorParallel?: number;
  /** Further arguments of `vllm serve`. @default - none */
  readonly args?: readonly string[];
}

/** Options of SGLang over several nodes. */
export interface SglangOptions {
  /** Name of the model, or the folder where it is mounted. */
  readonly model: string;
  /** Devices that share each layer. @default - all of the group */
  readonly tensorParallel?: number;
  /** Further arguments of the server. @default - none */
  readonly args?: readonly string[];
}

const RENDEZVOUS_PORT = 20000;
const VLLM_SCRIPT = '/vllm-workspace/examples/online_serving/multi-node-serving.sh';

/**
 * How a model server spans several nodes.
 *
 * @example
 * new serving.InferenceService(chart, 'large', {
 *   image: 'vllm/vllm-openai:v0.14.0',
 *   port: 8000,
 *   loadingTime: Duration.minutes(10),
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 *   as: serving.ServingEngine.leaderWorkerSet({
 *     nodes: 2,
 *     start: serving.MultiNode.vllm({ model: '/model' }),
 *   }),
 * });
 */
@publicClass('serving.MultiNode')
export class MultiNode {
  /**
   * Runs vLLM, whose nodes find each other without Ray: layers are split within a node, and stages are distributed over
   * the nodes.
   */
  static vllm(options: VllmOptions): MultiNode {
    return new MultiNode((shape) => {
      const serve = [
        ...vllmServe(options, shape),
        '--nnodes',
        '$(LWS_GROUP_SIZE)',
        '--node-rank',
        '$(LWS_WORKER_INDEX)',
        '--master-addr',
        '$(LWS_LEADER_ADDRESS)',
      ];
      return { leader: serve, worker: [...serve, '--headless'] };
    });
  }

  /** Runs vLLM over a Ray cluster of the group, which the script in its image starts. */
  static vllmRay(options: VllmOptions): MultiNode {
    return new MultiNode((shape) => {
      const serve = [...vllmServe(options, shape), '--distributed-executor-backend', 'ray'];
      return {
        leader: [
          'bash',
          '-c',
          `bash ${VLLM_SCRIPT} leader --ray_cluster_size=$(LWS_GROUP_SIZE) && exec ${serve.map(shellWord).join(' ')}`,
        ],
        worker: ['bash', '-c', `exec bash ${VLLM_SCRIPT} worker --ray_address=$(LWS_LEADER_ADDRESS)`],
      };
    });
  }

  /** SGLang, which splits layers over all devices of the group. */
  static sglang({ model, tensorParallel, args = [] }: SglangOptions): MultiNode {
    return new MultiNode(({ nodes, devices, port }) => {
      const tensor = tensorParallel ?? nodes * devices;
      const pipeline = stagesOf(tensor, nodes * devices);
      const launch = [
        'python3',
        '-m',
        'sglang.launch_server',
        '--model-path',
        model,
        '--tp',
        String(tensor),
        ...(pipeline === 1 ? [] : ['--pp-size', String(pipeline)]),
        '--dist-init-addr',
        `$(LWS_LEADER_ADDRESS):${RENDEZVOUS_PORT}`,
        '--nnodes',
        '$(LWS_GROUP_SIZE)',
        '--node-rank',
        '$(LWS_WORKER_INDEX)',
        '--host',
        '0.0.0.0',
        '--port',
        String(port),
        ...args,
      ];
      return { leader: launch, worker: launch };
    });
  }

  /** Another server. `$(LWS_LEADER_ADDRESS)`, `$(LWS_GROUP_SIZE)` and `$(LWS_WORKER_INDEX)` are replaced in both. */
  static commands(commands: GroupCommands): MultiNode {
    return new MultiNode(() => commands);
  }

  private constructor(private readonly commandsOf: (shape: GroupShape) => GroupCommands) {}

  /** Returns the commands of leader and workers. @throws if the devices cannot be split so */
  toCommands(shape: GroupShape): GroupCommands {
    return this.commandsOf(shape);
  }
}

function vllmServe(
  { model, tensorParallel, args = [] }: VllmOptions,
  { nodes, devices, port }: GroupShape,
): readonly string[] {
  const tensor = tensorParallel ?? devices;
  const pipeline = stagesOf(tensor, nodes * devices);
  return [
    'vllm',
    'serve',
    model,
    '--port',
    String(port),
    '--tensor-parallel-size',
    String(tensor),
    '--pipeline-parallel-size',
    String(pipeline),
    ...args,
  ];
}

function stagesOf(tensor: number, all: number): number {
  if (Number.isInteger(tensor) && tensor > 0 && all % tensor === 0) {
    return all / tensor;
  }
  throw new Error(`tensorParallel ${tensor}: must be a divisor of ${all}, the number of devices of a group.`);
}
