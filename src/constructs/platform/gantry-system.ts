/**
 * Gantry's own scheduler as a platform's scheduling system: a queue for each team and each group of teams in its configuration, and the racks of the pools as its topology.
 */
import { type Construct } from 'constructs';
import { GantryScheduler, type GantrySchedulerProps, type SchedulerQueue } from '../scheduler';
import { stated } from './node-pool';
import { publicClass } from '../resources/public-class';
import {
  type InstalledScheduling,
  type PlatformShares,
  SchedulingSystem,
  type TeamGroup,
  type TeamShares,
} from './scheduling-system';

/** Options of a GantrySystem. */
export type GantrySystemOptions = Omit<GantrySchedulerProps, 'queues'>;

/**
 * Gantry's own scheduler for a platform: one queue for each team, and the racks of the pools as its topology.
 *
 * @example
 * new GpuPlatform(app, 'platform', {
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
 *   teams: { research: { deserved: { training: 64 } } },
 *   scheduling: new GantrySystem(),
 * });
 */
@publicClass('GantrySystem')
export class GantrySystem extends SchedulingSystem<'gantry'> {
  readonly name = 'gantry';
  readonly chart = undefined;
  /** There once it is installed. */
  scheduler?: GantryScheduler;

  constructor(private readonly options: GantrySystemOptions = {}) {
    super();
  }

  install(scope: Construct, platform: PlatformShares): InstalledScheduling<'gantry'> {
    const topologies =
      platform.topologyLevels.length === 0
        ? []
        : [{ name: 'platform', levels: [...platform.topologyLevels, 'kubernetes.io/hostname'] }];
    const scheduler = new GantryScheduler(scope, 'scheduler', {
      topologies,
      ...this.options,
      queues: [...platform.groups.map(groupQueueOf), ...platform.teams.map(teamQueueOf)],
    });
    this.scheduler = scheduler;
    return {
      teamQueue: () => false,
      queueOf: (_, team) => scheduler.queue(team.name),
    };
  }
}

function teamQueueOf(team: TeamShares): SchedulerQueue {
  const { name, group } = team;
  // A team's namespace has its name.
  return { name, parent: group?.name, namespaces: [name], ...sharesOf(team) };
}

function groupQueueOf(group: TeamGroup): SchedulerQueue {
  const { name, parent, teams } = group;
  return { name, parent: parent?.name, namespaces: teams, ...sharesOf(group) };
}

function sharesOf(team: TeamShares | TeamGroup): Pick<SchedulerQueue, 'deserved' | 'capability' | 'guarantee'> {
  return {
    deserved: stated(team.amounts('deserved')),
    capability: stated(team.amounts('capability')),
    ...(team.shares.some(({ guarantee }) => guarantee > 0) ? { guarantee: stated(team.amounts('guarantee')) } : {}),
  };
}
