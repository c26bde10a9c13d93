/**
 * Sees every change of a pod, in the order in which the API server carried them out: what must hold holds at every moment, not only whenever somebody looks.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { amountsOf } from '../../../src/planning/cluster/objects';
import { podRequest } from '../../../src/planning/cluster/objects/pod-request';
import { ApiClient } from '../../../src/runtime/api/client';
import { Reflector } from '../../../src/runtime/api/reflector';
import { admissionOf } from '../control-plane/admission';
import { type Lab, nameOf } from './lab';

interface Held {
  readonly node: string;
  readonly amounts: Readonly<Record<string, number>>;
}

export class PodWatch {
  /** What was wrong at any moment, in words. */
  readonly faults = new Set<string>();
  /** Pods that got a node, by the scheduler that they name. */
  readonly bound = new Map<string, number>();
  /** Changes that were seen. */
  events = 0;
  private readonly nodeOf = new Map<string, string>();
  private readonly held = new Map<string, Held>();
  private readonly used = new Map<string, Map<string, number>>();
  private readonly client: ApiClient;
  private readonly reflector: Reflector<JsonObject>;
  private readonly running: Promise<void>;

  private constructor(
    lab: Lab,
    private readonly has: ReadonlyMap<string, Readonly<Record<string, number>>>,
  ) {
    this.client = new ApiClient({ admission: () => Promise.resolve(admissionOf(lab.kubeconfig)) });
    this.reflector = new Reflector<JsonObject>({
      client: this.client,
      path: () => Promise.resolve('/api/v1/namespaces/default/pods'),
      handler: {
        replaced: (pods) => {
          this.held.clear();
          this.used.clear();
          pods.forEach((pod) => this.see(pod));
        },
        changed: (pod) => this.see(pod),
        removed: (pod) => this.count(asString(asObject(pod.metadata).uid)!, undefined),
      },
    });
    this.running = this.reflector.run();
  }

  /** Of the pods in `default`, on the nodes that there are. */
  static async start(lab: Lab): Promise<PodWatch> {
    const nodes = await lab.list('/api/v1/nodes');
    const watch = new PodWatch(
      lab,
      new Map(nodes.map((node) => [nameOf(node), amountsOf(asObject(node.status).allocatable)])),
    );
    await lab.until('the watch of pods is open', () => Promise.resolve(watch.reflector.isSynced));
    return watch;
  }

  async stop(): Promise<void> {
    this.reflector.stop();
    await this.running;
    this.client.close();
  }

  private see(pod: JsonObject): void {
    this.events++;
    const uid = asString(asObject(pod.metadata).uid)!;
    const { nodeName, schedulerName } = asObject(pod.spec);
    const node = asString(nodeName);
    const before = this.nodeOf.get(uid);
    if (node !== undefined && before === undefined) {
      this.nodeOf.set(uid, node);
      const scheduler = asString(schedulerName) ?? '';
      this.bound.set(scheduler, (this.bound.get(scheduler) ?? 0) + 1);
    }
    if (before !== undefined && node !== before) {
      this.faults.add(`${nameOf(pod)} was on ${before}, and is on ${node}`);
    }
    const isOver = ['Succeeded', 'Failed'].includes(asString(asObject(pod.status).phase) ?? '');
    const amounts = { ...podRequest(asObject(pod.spec)), pods: 1 };
    this.count(uid, node === undefined || isOver ? undefined : { node, amounts });
  }

  private count(uid: string, now: Held | undefined): void {
    const before = this.held.get(uid);
    this.add(before, -1);
    this.add(now, 1);
    if (now === undefined) {
      this.held.delete(uid);
      return;
    }
    this.held.set(uid, now);
    const used = this.used.get(now.node)!;
    const has = this.has.get(now.node) ?? {};
    for (const [resource, amount] of used) {
      if (amount > (has[resource] ?? 0)) {
        this.faults.add(`${now.node} holds ${amount} ${resource} and has ${has[resource] ?? 0}`);
      }
    }
  }

  private add(held: Held | undefined, by: 1 | -1): void {
    if (held !== undefined) {
      const used = this.used.get(held.node) ?? new Map<string, number>();
      this.used.set(held.node, used);
      Object.entries(held.amounts).forEach(([resource, amount]) =>
        used.set(resource, (used.get(resource) ?? 0) + by * amount),
      );
    }
  }
}
