/**
 * Carries out decisions about MIG configurations, and reports how each change ends.
 */
import { type Repartition } from '../../placement';
import { type Configuration } from '../../planning/scheduler-settings/configuration';
import { type ServerClock } from '../api/clock';
import { type Log } from '../api/log';
import { type EvictOptions } from './apply/evict';
import { repartition } from './apply/repartition';
import { type Slots } from './apply/slots';
import { type Explainer } from './explain';
import { type Metrics } from './metrics';
import { type MigEnd, type MigOutcome } from './world/mig-changes';
import { type World } from './world/world';

export interface RepartitionerOptions {
  readonly world: World;
  readonly explainer: Explainer;
  readonly serverClock: ServerClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly config: () => Configuration;
  /** Something came to another end than was assumed. */
  readonly onSurprise: () => void;
}

/** A node whose change was refused is not tried again for this time, milliseconds. */
const REFUSAL_PAUSE = 2000;
/** The same where a pod has devices that decisions do not know of. */
const IN_USE_PAUSE = 60_000;
/** The watch shows what was carried out within this time, milliseconds. */
const UNTIL_SHOWN = 30_000;

const REASONS: Readonly<Record<MigOutcome, string>> = {
  applied: 'Repartitioned',
  failed: 'RepartitioningFailed',
  'timed-out': 'RepartitioningTimedOut',
  replaced: 'RepartitioningReplaced',
};

export class Repartitioner {
  constructor(private readonly options: RepartitionerOptions) {}

  /** The node counts as changing at once, the requests wait for a slot. */
  async start(decided: Repartition, at: number, requests: EvictOptions, slots: Slots): Promise<void> {
    const { world, log, metrics, explainer, serverClock } = this.options;
    const { node, config, beneficiary } = decided;
    const known = world.nodeObject(node);
    if (known === undefined) {
      return;
    }
    world.migChanges.ask(node, config, at, at + UNTIL_SHOWN + 2 * requests.timeout);
    const outcome = await slots.run(() => repartition(decided, known, at, requests));
    metrics.repartitions.inc({ outcome: outcome.kind });
    const about = { node, config, beneficiary, ...outcome };
    if (outcome.kind === 'requested' || outcome.kind === 'unknown') {
      log.info(about, 'MIG configuration requested');
      this.event(
        node,
        'Normal',
        'Repartitioning',
        `The node gets the MIG configuration ${config} for gang ${beneficiary}.`,
      );
      return;
    }
    log.warn(about, 'MIG configuration not requested');
    const pause = outcome.kind === 'in-use' ? IN_USE_PAUSE : REFUSAL_PAUSE;
    world.migChanges.rest(node, serverClock.now() + pause);
    if (outcome.kind === 'in-use') {
      explainer.eventOf(
        nodeNamed(node),
        'Warning',
        'RepartitioningFailed',
        `The MIG configuration is not changed: ${outcome.message}`,
      );
    }
    this.options.onSurprise();
  }

  /** Reports changes that have ended since the last call. */
  report(): void {
    const { world, log, metrics } = this.options;
    for (const { node, change, outcome } of world.migChanges.takeEnds()) {
      metrics.repartitions.inc({ outcome });
      log[outcome === 'applied' ? 'info' : 'warn'](
        { node, config: change.config, beneficiary: change.gang, outcome },
        'change of the MIG configuration ended',
      );
      this.explain({ node, change, outcome });
    }
    metrics.repartitioningNodes.set(world.migChanges.underWay);
  }

  /** To the node, and to the gang that waits for it. */
  private explain({ node, change, outcome }: MigEnd): void {
    const { world, explainer } = this.options;
    const words = this.words(change.config, outcome);
    this.event(node, outcome === 'applied' ? 'Normal' : 'Warning', REASONS[outcome], `The node ${words}`);
    const waiting = [...(world.gangNamed(change.gang)?.pods.values() ?? [])].find(({ state }) => state === 'waiting');
    if (outcome !== 'applied' && waiting !== undefined) {
      explainer.event(waiting, 'Warning', REASONS[outcome], `Node ${node} ${words}`);
    }
  }

  private words(config: string, outcome: MigOutcome): string {
    const { timeoutSeconds, intervalSeconds } = this.options.config().repartition;
    switch (outcome) {
      case 'applied':
        return `has the MIG configuration ${config}.`;
      case 'failed':
        return `did not get the MIG configuration ${config}: the MIG manager reports "failed". Its log states the cause. This configuration is not tried again until the label nvidia.com/mig.config changes, and no other one for ${intervalSeconds} s after the request.`;
      case 'timed-out':
        return `did not get the MIG configuration ${config} within ${timeoutSeconds} s. The devices that it offers are used again. Check that the MIG manager runs on the node.`;
      case 'replaced':
        return `no longer gets the MIG configuration ${config}, because another client changed the label nvidia.com/mig.config.`;
    }
  }

  private event(node: string, type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.options.explainer.eventOf(nodeNamed(node), type, reason, note);
  }
}

function nodeNamed(name: string): { readonly apiVersion: string; readonly kind: string; readonly name: string } {
  return { apiVersion: 'v1', kind: 'Node', name };
}
