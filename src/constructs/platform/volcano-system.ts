/**
 * Volcano as a platform's scheduling system: one queue that holds the cluster, and below it one for each team and each group of teams.
 */
import { App, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { type TeamQueueProps } from '../tenancy';
import { type GpuSchedulingOptions, Queue, SchedulerConfiguration } from '../volcano';
import { stated, sumOf } from './node-pool';
import {
  type InstalledScheduling,
  type InstallOptions,
  type PlatformShares,
  SchedulingSystem,
  type TeamGroup,
  type TeamShares,
} from './scheduling-system';
import { publicClass } from '../resources/public-class';

/** Options of a VolcanoSystem. */
export interface VolcanoSystemOptions extends GpuSchedulingOptions {
  /** Name of the queue that holds the whole cluster. @default ai */
  readonly root?: string;
}

/**
 * Volcano for a platform: one queue that holds the cluster, and below it one for each team.
 *
 * @example
 * new GpuPlatform(app, 'platform', {
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
 *   teams: { research: { deserved: { training: 64 } } },
 *   scheduling: new VolcanoSystem({ root: 'ai' }),
 * });
 */
@publicClass('VolcanoSystem')
export class VolcanoSystem extends SchedulingSystem<'volcano'> {
  readonly name = 'volcano';
  readonly chart = 'volcano';
  /** The queue that holds the whole cluster; there once it is installed. */
  root?: Queue;
  /** What its scheduler does in each cycle; there once it is installed. */
  configuration?: SchedulerConfiguration;

  constructor(private readonly options: VolcanoSystemOptions = {}) {
    super();
  }

  install(
    scope: Construct,
    platform: PlatformShares,
    { throughChart }: InstallOptions,
  ): InstalledScheduling<'volcano'> {
    const { root: name = 'ai', ...options } = this.options;
    const everything = stated(sumOf(platform.pools.map((pool) => platform.offers(pool, pool.props.nodes))));
    const root = new Queue(scope, 'queue', { name, capability: everything, deserved: everything });
    this.root = root;
    const devices = Object.fromEntries(
      platform.pools.flatMap(({ devices: own }) => own.resources).map((resource) => [resource, PACKING]),
    );
    // The chart makes a ConfigMap of that name by itself, and takes the text as a value.
    const holder = throughChart ? new Chart(new App(), 'text') : scope;
    const configuration = SchedulerConfiguration.forGpus(holder, 'scheduler', { devices, ...options });
    this.configuration = configuration;
    const groups = new Map<string, Queue>();
    for (const group of platform.groups) {
      const parent = queueAbove(group.parent, groups, root);
      groups.set(group.name, new Queue(scope, `queue-${group.name}`, { name: group.name, ...queueOf(group, parent) }));
    }
    return {
      teamQueue: (team) => queueOf(team, queueAbove(team.group, groups, root)),
      queueOf: (_, __, { queue }) => queue,
      chartValues: { custom: { scheduler_config_override: configuration.text } },
    };
  }
}

/** Weight by which nodes are filled by their devices, one after the other. */
const PACKING = 10;

function queueAbove(group: TeamGroup | undefined, groups: ReadonlyMap<string, Queue>, root: Queue): Queue {
  return group === undefined ? root : groups.get(group.name)!;
}

function queueOf(team: TeamShares | TeamGroup, parent: Queue): TeamQueueProps {
  const guarantee = team.shares.some(({ guarantee: nodes }) => nodes > 0);
  return {
    parent,
    deserved: stated(team.amounts('deserved')),
    capability: stated(team.amounts('capability')),
    ...(guarantee ? { guarantee: stated(team.amounts('guarantee')) } : {}),
  };
}
