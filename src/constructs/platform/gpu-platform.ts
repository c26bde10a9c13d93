/**
 * GpuPlatform: a platform on one page. Node pools, teams, who schedules, the network, what is watched; everything else follows, stays
 * reachable, and can be replaced.
 */
import { createRequire } from 'node:module';
import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { settingsAt } from '../../checks/synth/check-settings';
import { Checks } from '../../checks/synth/checks-of';
import { type JsonObject } from '../../facts/api/schema';
import {
  ArgoApplication,
  chartInstall,
  type ChartInstall,
  type AnyChart,
  type ChartOptions,
  helmCommands,
  HelmRelease,
  PulumiRelease,
} from '../charts';
import type * as Planning from '../../planning/cluster';
import { type ClusterState } from '../../planning/cluster';
import { GpuOperator, type GpuOperatorProps } from '../gpu-operator';
import { Quantity as Amount } from '../../manifests/values/quantity';
import { type NodeAgent, type NodeAgentProps } from '../agent';
import { GpuMonitoring, type GpuMonitoringProps } from '../monitoring';
import { type Remediation, type RemediationProps } from '../remediation';
import { NodeTuner, type NodeTunerProps, Tuning } from '../node-tuning';
import { type QueueEngine } from '../resources/queue-references';
import { bytesText, type ByteSize } from '../resources/quantities';
import { dependOn } from '../resources/depend-on';
import { Namespace, PriorityLadder, type PriorityLadderProps, Team } from '../tenancy';
import { type InstalledNetwork, type PlatformNetwork } from './network';
import { type ExactAmounts, PlatformPool, type PlatformPoolProps, stated, sumOf } from './node-pool';
import { platformAgent } from './platform-agent';
import { platformRemediation } from './platform-remediation';
import { PlatformTeam, type PlatformTeamProps } from './platform-team';
import type { InstalledScheduling, PlatformShares, SchedulingSystem } from './scheduling-system';
import { type GpuPlatformOverrides, requireParts, withOverrides } from './platform-overrides';
import { teamTree } from './team-tree';
import { componentRule, notInstalledBeside } from './not-installed';
import { installVendors, type InstalledVendors, type NotInstalled, type VendorOptions } from './vendor-operators';
import { VolcanoSystem } from './volcano-system';
import { publicClass } from '../resources/public-class';

/** From the lowest to the highest, where nothing else is said. */
export type UsualRung = 'scavenger' | 'development' | 'production';

/** Props of a GpuPlatform. */
export interface GpuPlatformProps<
  Pool extends string,
  TeamName extends string,
  Rung extends string = UsualRung,
  Engine extends QueueEngine = QueueEngine,
> {
  /** The kinds of nodes. */
  readonly pools: Readonly<Record<Pool, PlatformPoolProps>>;
  /** Who shares them. */
  readonly teams: Readonly<Record<TeamName, PlatformTeamProps<NoInfer<Pool>, NoInfer<TeamName>>>>;
  /** Who decides which gang runs where. @default - Volcano */
  readonly scheduling?: SchedulingSystem<Engine>;
  /**
   * Nodes without GPUs, where operators and schedulers run: for the plan, which else has no place for them.
   * @default - 3 nodes of 16 cores and 64Gi
   */
  readonly systemNodes?: {
    /** Number of nodes. */
    readonly nodes: number;
    /** Cores that pods can have of one node. */
    readonly cpu: number;
    /** Memory that pods can have of one node, for example `240Gi`. */
    readonly memory: ByteSize;
  };
  /** Priority classes of the platform. @default - scavenger, development, production */
  readonly priorities?: PriorityLadderProps<Rung>;
  /** The fast network of the pools that have it. @default - none */
  readonly network?: PlatformNetwork;
  /** Further settings of the GPU operator, beside those that follow from the pools. @default - none */
  readonly gpuOperator?: Omit<GpuOperatorProps, 'namespace' | 'through' | 'sharing'>;
  /** Settings for the operators of AMD, Gaudi, Ascend, and Neuron pools. @default - what follows from the pools */
  readonly vendors?: VendorOptions;
  /** Metrics, alerts and a dashboard of GPUs; `false` where there is no Prometheus. @default - all, without further labels */
  readonly monitoring?: GpuMonitoringProps | false;
  /**
   * The node agent on the nodes of all pools, with the devices that each pool states as what its nodes must have.
   * @default - none
   *
   * @beta
   */
  readonly agent?: Omit<NodeAgentProps, 'pools'>;
  /**
   * Acts on nodes with a problem; as a dry run until its `mode` is `active`. Its default rules react to the conditions of the node agent.
   * @default - none
   *
   * @beta
   */
  readonly remediation?: RemediationProps;
  /** What is set on the nodes of training pools; `false` to leave them alone. @default - `Tuning.forTraining()` */
  readonly tuning?: Omit<NodeTunerProps, 'nodeSelection' | 'namespace'> | false;
  /**
   * How the operators' charts come into the cluster. Without, `helmCommands` says what to run.
   * @default - not by the platform
   */
  readonly delivery?: {
    /** The tool that installs the charts; `pulumi` in a `GantryStack` alone. */
    readonly through: 'flux' | 'argo-cd' | 'pulumi';
    /** Further charts. @default - none */
    readonly also?: readonly ChartOptions<AnyChart>[];
  };
  /**
   * Fields without a property, of each object that belongs to a team or a rung. `gpuOperator`, `monitoring`, `tuning`, and the vendors
   * in `vendors` have `overrides` of their own. For any other object, patch the construct that a property of the platform has.
   * @default - none
   */
  readonly overrides?: GpuPlatformOverrides<NoInfer<TeamName>, NoInfer<Rung>>;
}

const USUAL_RUNGS: PriorityLadderProps<UsualRung> = {
  prefix: 'ai-',
  rungs: [
    { name: 'scavenger', description: 'May be stopped at any time', preemptionPolicy: 'Never' },
    { name: 'development', description: 'Interactive work that a user waits for' },
    { name: 'production', description: 'A release waits for it' },
  ],
};

/** Node label of the racks of a cluster file. */
const RACK = 'cloud.provider.com/topology-rack';
const PRIVILEGED = { 'pod-security.kubernetes.io/enforce': 'privileged' };

/**
 * A whole GPU platform from one statement: pools of nodes, teams with their shares, a scheduling system, a network,
 * monitoring, and the operators of the vendors.
 *
 * @example
 * const platform = new GpuPlatform(app, 'platform', {
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
 *   teams: { research: { deserved: { training: 48 } }, applied: { deserved: { training: 16 }, capability: { training: 32 } } },
 * });
 * const { research } = platform.teams;
 * new kubeflow.PyTorchJob(research.chart, 'pretrain', {
 *   ...research.wholeNode('training'), image, nodes: 8, scheduling: research.scheduling,
 * });
 */
@publicClass('GpuPlatform')
export class GpuPlatform<
  const Pool extends string,
  const TeamName extends string,
  const Rung extends string = UsualRung,
  Engine extends QueueEngine = 'volcano',
> extends Construct {
  /** The pools, by name. */
  readonly pools: Readonly<Record<Pool, PlatformPool>>;
  /** The teams, by name. */
  readonly teams: Readonly<Record<TeamName, PlatformTeam<Pool, Engine>>>;
  /** The priority classes of the platform. */
  readonly priorities: PriorityLadder<Rung>;
  private readonly nvidia: GpuOperator | undefined;
  /** Operators, device plugins, and monitoring of the other vendors. */
  readonly vendors: InstalledVendors;
  /** What workloads may need and the platform does not install, each with what adds it. A kind that needs one is a finding (info). */
  readonly notInstalled: readonly NotInstalled[];
  /** The scheduling system of the platform. */
  readonly scheduling: SchedulingSystem<Engine>;
  /** Absent where there is none. */
  readonly monitoring?: GpuMonitoring;
  /**
   * Absent where there is none.
   *
   * @beta
   */
  readonly agent?: NodeAgent;
  /**
   * Absent where there is none.
   *
   * @beta
   */
  readonly remediation?: Remediation;
  /** By pool; those of training pools. */
  readonly tuners: ReadonlyMap<string, NodeTuner>;
  /** The charts that the platform needs, with their values. */
  readonly charts: readonly ChartInstall[];
  /** Operators, configurations and tuning: what belongs to nodes. */
  readonly nodes: Chart;
  /** Priorities and queues. */
  readonly queues: Chart;
  private readonly network?: InstalledNetwork;

  /** @throws if the shares of the teams do not add up, or the parts contradict each other */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: GpuPlatformProps<Pool, TeamName, Rung, Engine>,
  ) {
    super(scope, id);
    this.pools = mapped(props.pools, (pool, name) => new PlatformPool(name, pool));
    this.checkPoolNames();
    settingsAt(this.node.root).offered.push(...this.poolList.map(({ devices }) => devices.offered));
    this.nodes = new Chart(this, 'nodes');
    this.queues = new Chart(this, 'queues');
    if (this.nvidiaPools.length > 0) {
      const operatorNamespace = new Namespace(this.nodes, 'gpu-operator', { labels: PRIVILEGED });
      if (props.monitoring !== false) {
        this.monitoring = new GpuMonitoring(this.nodes, 'gpu-monitoring', {
          namespace: operatorNamespace,
          ...props.monitoring,
        });
      }
      this.nvidia = this.makeGpuOperator(operatorNamespace);
    }
    this.vendors = installVendors(this.nodes, {
      pools: this.poolList,
      options: props.vendors ?? {},
      monitoring: props.monitoring === false ? undefined : { labels: props.monitoring?.labels },
      privileged: PRIVILEGED,
    });
    this.network = props.network?.install(
      this.nodes,
      this.poolList.filter((pool) => pool.hasNetwork),
    );
    this.tuners = this.makeTuners();
    this.agent = props.agent === undefined ? undefined : platformAgent(this.nodes, props.agent, this.poolList, props);
    this.remediation =
      props.remediation === undefined ? undefined : platformRemediation(this.nodes, props.remediation, props);

    this.priorities = this.makePriorities();
    // Where none is given, the type parameter is volcano.
    this.scheduling = props.scheduling ?? (new VolcanoSystem() as SchedulingSystem as SchedulingSystem<Engine>);
    const shares = this.shares();
    const installed = this.scheduling.install(this.queues, shares, { throughChart: props.delivery !== undefined });
    this.teams = mapped(props.teams, (team, name) => this.makeTeam(name, team, shares, installed));
    this.charts = this.neededCharts(installed);
    this.notInstalled = [
      ...this.vendors.notInstalled,
      ...notInstalledBeside(this.charts, props.delivery !== undefined),
    ];
    Checks.of(this).addRules(componentRule(this.charts));
    this.deliver();
  }

  /** A team, with what was made for it. @throws if there is none of that name */
  team(name: TeamName): PlatformTeam<Pool, Engine> {
    return found(this.teams, name, 'team');
  }

  /** A pool, with what follows from it. @throws if there is none of that name */
  pool(name: Pool): PlatformPool {
    return found(this.pools, name, 'pool');
  }

  /** NVIDIA's GPU operator. @throws if the platform has no pool with GPUs of NVIDIA */
  get gpuOperator(): GpuOperator {
    if (this.nvidia === undefined) {
      throw new Error(`${this.node.path}: gpuOperator requires a pool with NVIDIA GPUs.`);
    }
    return this.nvidia;
  }

  /** What to run where nothing delivers the charts. */
  get helmCommands(): string {
    return this.charts.map((install) => helmCommands(install)).join('\n');
  }

  /** The platform as a cluster file: what `gantry plan --cluster` reads. */
  get clusterFile(): JsonObject {
    const { nodes, cpu, memory } = this.props.systemNodes ?? { nodes: 3, cpu: 16, memory: '64Gi' };
    const written = bytesText(`${this.node.path}: systemNodes.memory`, memory);
    const system = nodes === 0 ? [] : [{ name: 'system', count: nodes, cpu, memory: written }];
    return { name: this.node.id, pools: [...this.poolList.map((pool) => this.poolInClusterFile(pool)), ...system] };
  }

  /** The platform as a cluster that a plan can be made against: `Plan.against(platform.cluster)`. */
  get cluster(): ClusterState {
    const { clusterOfValue } = createRequire(__filename)('../../planning/cluster') as typeof Planning;
    return clusterOfValue(this.clusterFile, this.node.path);
  }

  private get poolList(): readonly PlatformPool[] {
    return Object.values(this.pools);
  }

  private get nvidiaPools(): readonly PlatformPool[] {
    return this.poolList.filter(({ facts }) => facts.vendor === 'nvidia');
  }

  private checkPoolNames(): void {
    if ('system' in this.props.pools) {
      throw new Error(
        `${this.node.path}: pool "system": the name is reserved for the nodes without GPUs. Choose another name.`,
      );
    }
  }

  private makeGpuOperator(namespace: Namespace): GpuOperator {
    const { gpuOperator = {} } = this.props;
    const tolerations = this.nvidiaPools.flatMap(({ profile }) => profile.operatorTolerations);
    const operator = new GpuOperator(this.nodes, 'gpu', {
      ...gpuOperator,
      namespace,
      // The chart knows which image belongs to which part.
      through: 'chart',
      daemonSets: { tolerations: unique(tolerations), ...gpuOperator.daemonSets },
      dcgmExporter: { ...this.monitoring?.exporter, ...gpuOperator.dcgmExporter },
    });
    for (const pool of this.nvidiaPools) {
      if (!pool.isWhole) {
        pool.operatorPool = operator.addNodePool(pool.name, pool.sharing);
      }
    }
    return operator;
  }

  private makeTuners(): ReadonlyMap<string, NodeTuner> {
    const { tuning = { tunings: Tuning.forTraining() } } = this.props;
    const pools = tuning === false ? [] : this.poolList.filter(({ tier }) => tier === 'training');
    if (tuning === false || pools.length === 0) {
      return new Map();
    }
    const namespace = new Namespace(this.nodes, 'node-tuning', { labels: PRIVILEGED });
    const tuner = ({ name, profile }: PlatformPool): NodeTuner =>
      new NodeTuner(this.nodes, `tuner-${name}`, { ...tuning, namespace, nodeSelection: profile.selection });
    return new Map(pools.map((pool) => [pool.name, tuner(pool)]));
  }

  private makePriorities(): PriorityLadder<Rung> {
    const { priorities = USUAL_RUNGS as unknown as PriorityLadderProps<Rung>, overrides = {}, teams } = this.props;
    const rungs = priorities.rungs.map((rung) => (typeof rung === 'string' ? rung : rung.name));
    requireParts(this.node.path, overrides, { teams: Object.keys(teams), priorities: rungs });
    const props = withOverrides(this.node.path, priorities, overrides.priorities);
    return new PriorityLadder(this.queues, 'priorities', props);
  }

  private makeTeam(
    name: TeamName,
    props: PlatformTeamProps<Pool>,
    platform: PlatformShares,
    installed: InstalledScheduling<Engine>,
  ): PlatformTeam<Pool, Engine> {
    const chart = new Chart(this, `team-${name}`, { namespace: name });
    const shares = platform.teams.find((team) => team.name === name)!;
    const { admins, members, limits, namespaceLabels, storage } = props;
    const team = new Team(chart, 'team', {
      name,
      admins,
      members,
      limits,
      namespaceLabels,
      // Pods on RDMA networks pin memory, which `baseline` refuses.
      podSecurity: props.podSecurity ?? (this.network === undefined ? 'baseline' : 'privileged'),
      quota: { ...stated(shares.amounts('capability')), storage },
      queue: installed.teamQueue(shares),
      overrides: this.props.overrides?.teams?.[name],
    });
    dependOn(chart, this.queues);
    const networks = this.network?.attach(chart, team.namespace) ?? [];
    const queue = installed.queueOf(chart, shares, team);
    return new PlatformTeam(name, {
      parent: shares.parent,
      chart,
      team,
      networks,
      queue,
      pools: new Map(this.poolList.map((pool) => [pool.name, pool])),
    });
  }

  private shares(): PlatformShares {
    const racked = this.poolList.some(({ props }) => props.nodesPerRack !== undefined);
    const offers = (pool: PlatformPool, nodes: number): ExactAmounts => this.offers(pool, nodes);
    const { teams } = this.props;
    return {
      ...teamTree({ where: this.node.path, pools: this.poolList, teams, offers }),
      pools: this.poolList,
      offers,
      topologyLevels: racked ? [RACK] : [],
    };
  }

  private offers(pool: PlatformPool, nodes: number): ExactAmounts {
    const network = pool.hasNetwork ? Object.entries(this.network?.perNode ?? {}) : [];
    return sumOf([pool.offers(nodes), new Map(network.map(([resource, each]) => [resource, Amount.of(each * nodes)]))]);
  }

  private poolInClusterFile(pool: PlatformPool): JsonObject {
    const file = pool.toClusterFile();
    const network = pool.hasNetwork ? (this.network?.perNode ?? {}) : {};
    return Object.keys(network).length === 0
      ? file
      : { ...file, resources: { ...(file.resources as JsonObject | undefined), ...network } };
  }

  private neededCharts(installed: InstalledScheduling<Engine>): readonly ChartInstall[] {
    const { delivery, network } = this.props;
    const { chart } = this.scheduling;
    return [
      ...(this.nvidia === undefined
        ? []
        : [chartInstall({ chart: 'gpu-operator', namespace: 'gpu-operator', values: this.nvidia.values })]),
      ...this.vendors.charts,
      ...(chart === undefined ? [] : [chartInstall({ chart, values: { ...installed.chartValues } })]),
      ...(network === undefined
        ? []
        : [chartInstall({ chart: 'network-operator', values: { sriovNetworkOperator: { enabled: true } } })]),
      ...(delivery?.also ?? []).map((options) => chartInstall(options)),
    ];
  }

  private deliver(): void {
    const { delivery } = this.props;
    if (delivery === undefined) {
      return;
    }
    const chart = new Chart(this, 'operators');
    for (const { facts, version, repository, namespace, release, values } of this.charts) {
      const { name, largeCrds } = facts;
      const options = { chart: { name, version, repository, namespace, largeCrds }, release, values };
      if (delivery.through === 'flux') {
        new HelmRelease(chart, release, options);
      } else if (delivery.through === 'pulumi') {
        new PulumiRelease(chart, release, options);
      } else {
        new ArgoApplication(chart, release, options);
      }
    }
    dependOn(chart, this.nodes);
  }
}

function mapped<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  make: (value: From, key: Key) => To,
): Readonly<Record<Key, To>> {
  return Object.fromEntries(
    Object.entries<From>(record).map(([key, value]) => [key, make(value, key as Key)]),
  ) as Record<Key, To>;
}

function found<T>(record: Readonly<Record<string, T>>, name: string, what: string): T {
  const value = record[name];
  if (value === undefined) {
    throw new Error(`unknown ${what} "${name}". The platform has ${Object.keys(record).join(', ')}.`);
  }
  return value;
}

function unique<T>(items: readonly T[]): readonly T[] {
  const seen = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...seen.values()];
}
