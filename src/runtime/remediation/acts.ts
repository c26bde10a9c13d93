/**
 * What a plan says, done: marks of nodes, evictions, and requests for repair, each explained in the log, in events, and on the page. A dry run
 * explains and changes nothing.
 */
import { type JsonObject } from '../../facts/api/schema';
import { counted } from '../../facts/words';
import {
  type RemediationEviction,
  type RemediationPlan,
  type RemediationRefusal,
  type RemediationSettings,
  type RemediationState,
  type RemediationStep,
} from '../../planning/remediation';
import { ApiError, messageOf } from '../api/api-error';
import { type ApiClient } from '../api/client';
import { timeText } from '../api/clock';
import { type Log } from '../api/log';
import { type WatchedCluster } from './cluster';
import { evictGang } from './evict';
import { type Events } from './events';
import { type Metrics } from './metrics';
import { nodePatch, repairCondition } from './node-patch';
import { type Act } from './status';

export interface ActsOptions {
  readonly client: Pick<ApiClient, 'request'>;
  /** Of one write, milliseconds. */
  readonly timeout: number;
  readonly isDryRun: boolean;
  /** May this process change the cluster, now? */
  readonly leads: () => boolean;
  readonly settings: RemediationSettings;
  /** Whether a rule has the action `request-repair`. */
  readonly requestsRepairs: boolean;
  readonly cluster: Pick<WatchedCluster, 'node' | 'wrote' | 'wouldWrite'>;
  readonly events: Pick<Events, 'step' | 'evicted'>;
  readonly metrics: Pick<Metrics, 'countStep' | 'evictedPods'>;
  readonly log: Log;
  /** The API server's time, milliseconds since the epoch. */
  readonly now: () => number;
}

const MERGE = 'application/merge-patch+json';
const STRATEGIC_MERGE = 'application/strategic-merge-patch+json';
const MOST_RECENT = 100;
const MOST_REASON = 300;

export class Acts {
  /** The latest first. */
  readonly recent: Act[] = [];

  constructor(private readonly options: ActsOptions) {}

  /** @returns what an API server refused */
  async carryOut(plan: RemediationPlan, state: RemediationState): Promise<readonly RemediationRefusal[]> {
    const { isDryRun, leads } = this.options;
    if (isDryRun) {
      plan.steps.forEach((step) => this.wouldStep(step));
      return [];
    }
    for (const step of plan.steps) {
      if (!leads()) {
        return [];
      }
      await this.step(step);
    }
    await this.requestRepairs(state);
    const refusals: RemediationRefusal[] = [];
    for (const eviction of plan.evictions) {
      const refusal = await this.evict(eviction);
      if (refusal !== undefined) {
        refusals.push(refusal);
      }
    }
    for (const pod of plan.restarts) {
      const rule = 'restart-device-plugin';
      await this.evict({ node: pod.node, rule, gang: `${pod.namespace}/${pod.name}`, pods: [pod], now: [pod] });
    }
    return refusals;
  }

  private wouldStep(step: RemediationStep): void {
    const { cluster, log, metrics } = this.options;
    cluster.wouldWrite(step.node, step.record);
    if (step.reasons.length > 0) {
      log.info(aboutOf(step), 'would act');
      metrics.countStep(step, 'dry-run');
      this.remember(step.node, `would do: ${step.reasons.join('. ')}`);
    }
  }

  private async step(step: RemediationStep): Promise<void> {
    const { client, cluster, events, leads, log, metrics, settings, timeout } = this.options;
    const node = cluster.node(step.node);
    const about = aboutOf(step);
    try {
      const written = await client.request<JsonObject>('PATCH', `/api/v1/nodes/${encodeURIComponent(step.node)}`, {
        contentType: MERGE,
        body: nodePatch(node, step, settings),
        timeout,
        permit: leads,
      });
      cluster.wrote(node, written);
    } catch (error) {
      // What got no answer may have happened: the next plan begins with what the node says then.
      const isConflict = error instanceof ApiError && error.status === 409;
      metrics.countStep(step, isConflict ? 'conflict' : 'failed');
      log[isConflict ? 'debug' : 'warn']({ ...about, message: messageOf(error) }, 'the node was not changed');
      return;
    }
    if (step.reasons.length > 0) {
      log.info(about, 'acted');
      metrics.countStep(step, 'done');
      this.remember(step.node, step.reasons.join('. '));
      await events.step(step);
    }
  }

  /** The condition follows from the record, so that a replica that takes over makes up for one that is missing. */
  private async requestRepairs({ nodes }: RemediationState): Promise<void> {
    const { client, leads, log, now, requestsRepairs, timeout } = this.options;
    if (!requestsRepairs) {
      return;
    }
    for (const node of nodes) {
      const body = repairCondition(node, now());
      if (body === undefined || !leads()) {
        continue;
      }
      await client
        .request('PATCH', `/api/v1/nodes/${encodeURIComponent(node.name)}/status`, {
          contentType: STRATEGIC_MERGE,
          body,
          timeout,
          permit: leads,
        })
        .catch((error: unknown) =>
          log.warn({ node: node.name, message: messageOf(error) }, 'the condition was not written'),
        );
    }
  }

  private async evict(eviction: RemediationEviction): Promise<RemediationRefusal | undefined> {
    const { client, events, leads, log, metrics, timeout } = this.options;
    const { node, rule, gang } = eviction;
    if (!leads()) {
      return undefined;
    }
    const result = await evictGang(eviction, { client, timeout, leads });
    if (result.kind === 'protected') {
      const reason = `gang ${gang} is protected: ${result.message}`.slice(0, MOST_REASON);
      return { node, rule, kind: 'protected', reason };
    }
    const names = result.pods.map(({ namespace, name }) => `${namespace}/${name}`);
    if (result.kind === 'failed') {
      log.warn({ node, rule, gang, evicted: names, message: result.message }, 'not all pods were evicted');
    } else {
      log.info({ node, rule, gang, evicted: names }, 'evicted');
    }
    metrics.evictedPods.inc({ rule }, result.pods.length);
    if (names.length > 0) {
      this.remember(node, `evicted ${counted(names.length, 'pod')} of ${gang} (rule ${rule})`);
    }
    for (const pod of result.pods) {
      await events.evicted(pod, node, rule);
    }
    return undefined;
  }

  private remember(node: string, text: string): void {
    this.recent.unshift({ at: timeText(this.options.now()), node, text });
    this.recent.splice(MOST_RECENT);
  }
}

function aboutOf({ node, add, remove, gangs, plugins, reasons }: RemediationStep): object {
  return {
    node,
    add,
    remove,
    gangs: gangs.map(({ gang }) => gang),
    plugins: plugins.map(({ name }) => name),
    reasons,
  };
}
