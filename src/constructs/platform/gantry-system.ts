/**
 * Gantry's own scheduler as a platform's scheduling system: a queue of each team in its configuration, pools' racks as its topology.
 */
import { type Construct } from 'constructs';
import { GantryScheduler, type GantrySchedulerProps, type SchedulerQueue } from '../scheduler';
import { stated } from './node-pool';
import { type InstalledScheduling, type PlatformShares, SchedulingSystem, type TeamShares } from './scheduling-system';

export type GantrySystemOptions = Omit<GantrySchedulerProps, 'queues'>;

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
      queues: platform.teams.map(schedulerQueueOf),
    });
    this.scheduler = scheduler;
    return {
      teamQueue: () => false,
      queueOf: (_, team) => scheduler.queue(team.name),
    };
  }
}

function schedulerQueueOf(team: TeamShares): SchedulerQueue {
  return {
    name: team.name,
    // A team's namespace has its name.
    namespaces: [team.name],
    deserved: stated(team.amounts('deserved')),
    capability: stated(team.amounts('capability')),
    ...(team.shares.some(({ guarantee }) => guarantee > 0) ? { guarantee: stated(team.amounts('guarantee')) } : {}),
  };
}
