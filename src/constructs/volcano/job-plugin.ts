/**
 * Plugins of a Volcano Job: what lets its pods find each other and start as one program.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type JobPluginName } from './job-plugins';
import { publicClass } from '../resources/public-class';
import { publicFunction } from '../../facts/calls/public-function';

/** Options of the plugin `svc`. */
export interface SvcPluginOptions {
  /** Give pods an address before they are ready. @default false */
  readonly publishNotReadyAddresses?: boolean;
  /** Let others than the job's own pods connect: Prometheus, dashboards. @default false */
  readonly disableNetworkPolicy?: boolean;
}

/** Options of the plugin `ssh`. */
export interface SshPluginOptions {
  /** Where keys are mounted. @default '/root/.ssh' */
  readonly keyFilePath?: string;
  /** The private key itself; it is readable in the Job. @default - a new key for each job */
  readonly privateKey?: string;
  /** Public key that goes with `privateKey`. @default - a new key for each job */
  readonly publicKey?: string;
  /** Port of the SSH server in the pods. @default 22 */
  readonly port?: number;
}

/** How workers wait for the master. */
export interface WaitForMaster {
  /** Time that workers wait for the master. @default - 5 minutes */
  readonly timeout?: Duration;
  /** Image of the container that waits. @default 'busybox:1.36.1' */
  readonly image?: string;
}

/** Options of the plugin `pytorch`. */
export interface PytorchPluginOptions {
  /** The task whose one pod is rank 0. @default 'master' */
  readonly master?: string;
  /** The task of all other pods. @default 'worker' */
  readonly worker?: string;
  /** MASTER_PORT. @default 23456 */
  readonly port?: number;
  /** Let workers start once the master listens; `true` takes Volcano's defaults. @default false */
  readonly waitForMaster?: boolean | WaitForMaster;
}

/** Options of the plugin `tensorflow`. */
export interface TensorflowPluginOptions {
  /** Name of the task of the parameter servers. @default 'ps' */
  readonly ps?: string;
  /** Name of the task of the workers. @default 'worker' */
  readonly worker?: string;
  /** Name of the task of the chief. @default 'chief' */
  readonly chief?: string;
  /** Name of the task of the evaluator. @default 'evaluator' */
  readonly evaluator?: string;
  /** Port of the TensorFlow servers. @default 2222 */
  readonly port?: number;
}

/** Options of the plugin `mpi`. */
export interface MpiPluginOptions {
  /** The task that runs `mpirun`. @default 'master' */
  readonly master?: string;
  /** The task whose pods are in MPI_HOST. @default 'worker' */
  readonly worker?: string;
  /** Port of sshd. @default 22 */
  readonly port?: number;
}

/** Options of the plugin `ray`. */
export interface RayPluginOptions {
  /** Name of the task of the head. @default 'head' */
  readonly head?: string;
  /** The container of the head task in which Ray is started. @default 'head' */
  readonly headContainer?: string;
  /** Name of the task of the workers. @default 'worker' */
  readonly worker?: string;
  /** Name of the container of the workers that runs Ray. @default 'worker' */
  readonly workerContainer?: string;
  /** Of the global control store. @default 6379 */
  readonly port?: number;
  /** Port of Ray's dashboard. @default 8265 */
  readonly dashboardPort?: number;
  /** Port for Ray clients. @default 10001 */
  readonly clientPort?: number;
}

/** Options of the plugin `hcclrank`. */
export interface HcclrankPluginOptions {
  /** Name of the task of the master. @default 'master' */
  readonly master?: string;
  /** Name of the task of the workers. @default 'worker' */
  readonly worker?: string;
}

/**
 * A plugin with its arguments. Volcano adds `svc` to pytorch, tensorflow, mpi and ray by itself, and `ssh` to mpi.
 *
 * Source: volcano, pkg/controllers/job/plugins. Rules: `volcano/job-plugin-*`.
 *
 * @example
 * new volcano.Job(chart, 'train', {
 *   tasks: [{ name: 'worker', replicas: 4, template: new PodTemplate({ image: 'registry.example.com/train:1' }) }],
 *   plugins: [volcano.JobPlugin.svc(), volcano.JobPlugin.env()],
 * });
 */
@publicClass('volcano.JobPlugin')
export class JobPlugin {
  /** Host names, a Service and host lists (`VC_<TASK>_HOSTS`); and a NetworkPolicy, unless it is turned off. */
  static svc(options: SvcPluginOptions = {}): JobPlugin {
    return new JobPlugin('svc', [
      ...(options.publishNotReadyAddresses === true ? ['--publish-not-ready-addresses'] : []),
      ...(options.disableNetworkPolicy === true ? ['--disable-network-policy'] : []),
    ]);
  }

  /** The index of each pod in its task, as VC_TASK_INDEX. */
  static env(): JobPlugin {
    return new JobPlugin('env', []);
  }

  /** Keys by which the pods of the job log in to each other. */
  static ssh(options: SshPluginOptions = {}): JobPlugin {
    return new JobPlugin(
      'ssh',
      flags({
        'ssh-key-file-path': options.keyFilePath,
        'ssh-private-key': options.privateKey,
        'ssh-public-key': options.publicKey,
        'ssh-port': options.port,
      }),
    );
  }

  /**
   * MASTER_ADDR, MASTER_PORT, RANK, and WORLD_SIZE, which is the number of *pods*. torchrun does not read them itself: see
   * `torchrun(…)`.
   */
  static pytorch(options: PytorchPluginOptions = {}): JobPlugin {
    const wait =
      options.waitForMaster === true ? {} : options.waitForMaster === false ? undefined : options.waitForMaster;
    return new JobPlugin(
      'pytorch',
      flags({
        master: options.master,
        worker: options.worker,
        port: options.port,
        'wait-master-enabled': wait && true,
        'wait-master-timeout': optionalSecondsOf('waitForMaster.timeout', wait?.timeout),
        'wait-master-image': wait?.image,
      }),
    );
  }

  /** TF_CONFIG. */
  static tensorflow(options: TensorflowPluginOptions = {}): JobPlugin {
    const { ps, worker, chief, evaluator, port } = options;
    return new JobPlugin('tensorflow', flags({ ps, worker, chief, evaluator, port }));
  }

  /** MPI_HOST for the master, and an open ssh port everywhere. */
  static mpi(options: MpiPluginOptions = {}): JobPlugin {
    const { master, worker, port } = options;
    return new JobPlugin('mpi', flags({ master, worker, port }));
  }

  /** Starts Ray in the head and the workers, whose commands it replaces. */
  static ray(options: RayPluginOptions = {}): JobPlugin {
    const { head, headContainer, worker, workerContainer, port, dashboardPort, clientPort } = options;
    return new JobPlugin(
      'ray',
      flags({ head, headContainer, worker, workerContainer, port, dashboardPort, clientPort }),
    );
  }

  /** The rank of each pod as the annotation that Ascend's HCCL reads. */
  static hcclrank(options: HcclrankPluginOptions = {}): JobPlugin {
    const { master, worker } = options;
    return new JobPlugin('hcclrank', flags({ master, worker }));
  }

  private constructor(
    /** Name of the plugin. */
    readonly name: JobPluginName,
    /** Each in the form `--name=value`. */
    readonly args: readonly string[],
  ) {}
}

function flags(values: Readonly<Record<string, string | number | boolean | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
}

/** Options of `torchrun`. */
export interface TorchrunOptions {
  /** Processes of each pod: its GPUs. */
  readonly processesPerNode: number;
  /** What every process runs, with its arguments: `['train.py', '--epochs=3']`. */
  readonly script: readonly string[];
  /** Further flags of torchrun, before the script. @default - none */
  readonly flags?: readonly string[];
}

/**
 * The command of a pod that takes part in a PyTorch job under Volcano's pytorch plugin: torchrun with what the plugin
 * sets, so that the number of nodes is stated once, as the tasks' replicas.
 *
 * @throws if there are no processes, or no script
 *
 * @example
 * new PodTemplate({ image, ...volcano.torchrun({ processesPerNode: 8, script: ['train.py'] }) });
 */
export const torchrun = publicFunction(
  'volcano.torchrun',
  (
    options: TorchrunOptions,
  ): {
    readonly command: readonly string[];
    readonly args: readonly string[];
  } => {
    const { processesPerNode, script, flags = [] } = options;
    if (!Number.isInteger(processesPerNode) || processesPerNode < 1) {
      throw new Error(
        `processesPerNode must be a whole number greater than or equal to 1, not ${processesPerNode}. Set it to the number of devices of a pod.`,
      );
    }
    if (script.length === 0) {
      throw new Error("script must name the program and its arguments, such as ['train.py', '--epochs=3'].");
    }
    return {
      command: ['torchrun'],
      args: [
        '--nnodes=$(WORLD_SIZE)',
        '--node-rank=$(RANK)',
        '--master-addr=$(MASTER_ADDR)',
        '--master-port=$(MASTER_PORT)',
        `--nproc-per-node=${processesPerNode}`,
        ...flags,
        ...script,
      ],
    };
  },
);
