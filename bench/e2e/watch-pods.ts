/**
 * When each pod got its node, as the API server reported it.
 */
import { admissionOf } from '../../test/e2e/control-plane/admission';
import { asObject, asString } from '../../src/manifests/read';
import { ApiClient } from '../../src/runtime/api/client';
import { Reflector } from '../../src/runtime/api/reflector';
import { type JsonObject } from '../../src/facts/api/schema';

export interface Sighting {
  readonly gang: string;
  readonly createdAt: number;
  boundAt: number | undefined;
}

export class PodWatch {
  readonly pods = new Map<string, Sighting>();
  private readonly client: ApiClient;
  private readonly reflector: Reflector<JsonObject>;
  private readonly running: Promise<void>;
  bound = 0;

  constructor(kubeconfig: string) {
    this.client = new ApiClient({ admission: () => Promise.resolve(admissionOf(kubeconfig)) });
    this.reflector = new Reflector<JsonObject>({
      client: this.client,
      path: () => Promise.resolve('/api/v1/namespaces/default/pods'),
      handler: {
        replaced: (items) => items.forEach((item) => this.see(item)),
        changed: (item) => this.see(item),
        removed: () => undefined,
      },
    });
    this.running = this.reflector.run();
  }

  /** Ignored by watchers that did not see it pending. */
  private see({ metadata, spec }: JsonObject): void {
    const { name, labels } = asObject(metadata);
    const key = asString(name) ?? '';
    const isBound = asString(asObject(spec).nodeName) !== undefined;
    let pod = this.pods.get(key);
    if (pod === undefined) {
      pod = { gang: asString(asObject(labels).group) ?? key, createdAt: performance.now(), boundAt: undefined };
      this.pods.set(key, pod);
    }
    if (isBound && pod.boundAt === undefined) {
      pod.boundAt = performance.now();
      this.bound++;
    }
  }

  async stop(): Promise<void> {
    this.reflector.stop();
    await this.running;
    this.client.close();
  }
}

/** For each gang of which all pods are bound: from its last pod's arrival to the last binding, seconds. */
export function gangLatencies(pods: Iterable<Sighting>): number[] {
  const gangs = new Map<string, { created: number; bound: number }>();
  for (const { gang, createdAt, boundAt = Infinity } of pods) {
    const known = gangs.get(gang) ?? { created: -Infinity, bound: -Infinity };
    gangs.set(gang, { created: Math.max(known.created, createdAt), bound: Math.max(known.bound, boundAt) });
  }
  return [...gangs.values()]
    .filter(({ bound }) => Number.isFinite(bound))
    .map(({ created, bound }) => Math.max(0, bound - created) / 1000);
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
