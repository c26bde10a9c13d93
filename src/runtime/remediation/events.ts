/**
 * Events about nodes that remediation acted on, and about pods that it evicted.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type RemediationPod, type RemediationStep } from '../../planning/remediation';
import { type ApiClient } from '../api/client';
import { microTimeText } from '../api/clock';

export interface EventOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly identity: string;
  /** The API server's time. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const MOST_NOTE = 1024;
const MOST_NAME = 200;
const MOST_INSTANCE = 128;
const TIMEOUT = 5000;

/** An event that is not written is not made up for: the log, the record of the node, and the page say the same. */
export class Events {
  constructor(private readonly options: EventOptions) {}

  async step({ node, remove, add, reasons }: RemediationStep): Promise<void> {
    const isUndone = remove.length > 0 && add.length === 0;
    await this.write({
      name: node,
      regarding: { apiVersion: 'v1', kind: 'Node', name: node, uid: node },
      type: isUndone ? 'Normal' : 'Warning',
      reason: isUndone ? 'RemediationUndone' : 'Remediated',
      action: isUndone ? 'Undo' : 'Remediate',
      note: reasons.join('. '),
    });
  }

  async evicted({ namespace, name, uid }: RemediationPod, node: string, rule: string): Promise<void> {
    await this.write({
      namespace,
      name,
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
      type: 'Normal',
      reason: 'EvictedByRemediation',
      action: 'Evict',
      note: `Evicted because of a problem on node ${node} (rule ${rule})`,
    });
  }

  private async write(event: {
    readonly namespace?: string;
    readonly name: string;
    readonly regarding: JsonObject;
    readonly type: 'Normal' | 'Warning';
    readonly reason: string;
    readonly action: string;
    readonly note: string;
  }): Promise<void> {
    const { client, identity, now, onError } = this.options;
    const { namespace = 'default', name, note, ...rest } = event;
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { generateName: `${name.slice(0, MOST_NAME)}-`, namespace },
      eventTime: microTimeText(now()),
      reportingController: 'gantry.dev/remediation',
      reportingInstance: identity.slice(0, MOST_INSTANCE),
      note: note.slice(0, MOST_NOTE),
      ...rest,
    };
    await client
      .request('POST', `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/events`, {
        body,
        timeout: TIMEOUT,
      })
      .catch(onError);
  }
}
