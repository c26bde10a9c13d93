/**
 * Writes what the agent found to its own Node: annotations and conditions, in one patch of the status, and an event for each condition that
 * changed.
 *
 * At most one patch in `pause` milliseconds, and none without a change. A patch whose answer was lost is sent again.
 */
import { type JsonObject } from '../../facts/api/schema';
import { messageOf } from '../api/api-error';
import { type ApiClient } from '../api/client';
import { microTimeText, timeText } from '../api/clock';

import { type NodeAgentCondition } from '../../facts/catalog/node-conditions';
import { type Condition } from './judge/conditions';

export interface NodeState {
  /** By key; undefined: not changed. */
  readonly annotations: Readonly<Record<string, string | undefined>>;
  readonly conditions: readonly Condition[];
}

export interface PublisherOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly node: string;
  /** Milliseconds between two patches. @default 10000 */
  readonly pause?: number;
  /** Milliseconds, and never going back. */
  readonly monotonic: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onPatch?: (failure: string | undefined) => void;
  readonly onEventFailure?: (failure: string) => void;
}

const STRATEGIC = 'application/strategic-merge-patch+json';
/** Longest message of an event that the API server accepts. */
const MOST_MESSAGE = 1024;

export class Publisher {
  private written: NodeState = { annotations: {}, conditions: [] };
  private wanted: NodeState = this.written;
  private readonly since = new Map<NodeAgentCondition, number>();
  private readonly hadProblem = new Set<NodeAgentCondition>();
  private last = -Infinity;
  private underWay = false;

  constructor(private readonly options: PublisherOptions) {}

  /** Writes the state now or with the next call, whichever the pause allows. */
  async publish(state: NodeState): Promise<void> {
    this.wanted = state;
    const { monotonic, pause = 10_000 } = this.options;
    if (this.underWay || monotonic() - this.last < pause) {
      return;
    }
    const annotations = this.changedAnnotations();
    const conditions = this.changedConditions();
    if (Object.keys(annotations).length + conditions.length === 0) {
      return;
    }
    this.underWay = true;
    this.last = monotonic();
    try {
      await this.patch(annotations, conditions);
      this.written = {
        annotations: { ...this.written.annotations, ...annotations },
        conditions: this.wanted.conditions,
      };
      this.options.onPatch?.(undefined);
    } catch (error) {
      this.options.onPatch?.(messageOf(error));
      return;
    } finally {
      this.underWay = false;
    }
    await this.tell(conditions).catch((error: unknown) => this.options.onEventFailure?.(messageOf(error)));
  }

  private changedAnnotations(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.wanted.annotations).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== this.written.annotations[entry[0]],
      ),
    );
  }

  private changedConditions(): readonly Condition[] {
    const written = new Map(this.written.conditions.map((condition) => [condition.type, condition]));
    return this.wanted.conditions.filter((condition) => {
      const before = written.get(condition.type);
      return before === undefined || before.status !== condition.status || before.reason !== condition.reason;
    });
  }

  private async patch(annotations: Readonly<Record<string, string>>, conditions: readonly Condition[]): Promise<void> {
    const now = this.options.now();
    const before = new Map(this.written.conditions.map(({ type, status }) => [type, status]));
    const entries = conditions.map(({ type, status, reason, message }): JsonObject => {
      if (before.get(type) !== status) {
        this.since.set(type, now);
      }
      return {
        type,
        status,
        reason,
        message: message.slice(0, MOST_MESSAGE),
        lastHeartbeatTime: timeText(now),
        lastTransitionTime: timeText(this.since.get(type) ?? now),
      };
    });
    const { client, node } = this.options;
    await client.request('PATCH', `/api/v1/nodes/${encodeURIComponent(node)}/status`, {
      contentType: STRATEGIC,
      body: {
        ...(Object.keys(annotations).length === 0 ? {} : { metadata: { annotations } }),
        ...(entries.length === 0 ? {} : { status: { conditions: entries } }),
      },
    });
  }

  /** An event is sent once; when that fails, the condition still says it. */
  private async tell(conditions: readonly Condition[]): Promise<void> {
    const { client, node, now } = this.options;
    for (const { type, status, reason, message } of conditions) {
      // That there is no problem is news only after there was one.
      if (status === 'Unknown' || (status === 'False' && !this.hadProblem.delete(type))) {
        continue;
      }
      if (status === 'True') {
        this.hadProblem.add(type);
      }
      await client.request('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
        body: {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { generateName: `${node.slice(0, 200)}-`, namespace: 'default' },
          eventTime: microTimeText(now()),
          reportingController: 'gantry.dev/node-agent',
          reportingInstance: node.slice(0, 128),
          action: 'Observe',
          type: status === 'True' ? 'Warning' : 'Normal',
          reason,
          note: `${type}: ${message}`.slice(0, MOST_MESSAGE),
          regarding: { apiVersion: 'v1', kind: 'Node', name: node, uid: node },
        },
      });
    }
  }
}
