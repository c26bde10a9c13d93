/**
 * Ten fake nodes, a scheduler that is hurt, and a watchman who looks all the time whether what must hold holds.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject } from '../../../src/manifests/read';
import { describeLive } from '../live-cluster';
import { type Fault, FaultyProxy } from './faulty-proxy';
import { type GantryOptions, GantryProcess } from './gantry-process';
import { brokenGangs, overCapacity, Watchman } from './invariants';
import { Lab } from './lab';
import { lastingGang, node } from './manifests';

/** Short times, so that the suite is short. */
export const CONFIG = `
policy: { staleGangSeconds: 4 }
binding: { timeoutSeconds: 8, inFlight: 8 }
handOver: { timeoutSeconds: 5 }
cycle: { periodSeconds: 1 }
log: { level: debug }
`;
export const LEASE_SECONDS = 5;

/** Gangs of eight pods, each of which fills a node. */
export function gangs(count = 6): JsonObject[] {
  return Array.from({ length: count }, (_, i) => lastingGang(`gang-${i}`, 8, { gpus: 1, handOver: i % 3 === 2 }));
}

export class BadDays {
  lab!: Lab;
  watchman!: Watchman;
  private readonly running: GantryProcess[] = [];
  private proxy: FaultyProxy | undefined;

  async start(
    identity: string,
    kubeconfig = this.lab.kubeconfig,
    more: Pick<GantryOptions, 'leaseSeconds' | 'clockSkew'> = {},
  ): Promise<GantryProcess> {
    const gantry = await GantryProcess.start({ kubeconfig, config: CONFIG, identity, ...more });
    this.running.push(gantry);
    return gantry;
  }

  /** Between a scheduler and the API server, until the test ends. */
  async throughProxy(): Promise<FaultyProxy> {
    return (this.proxy = await FaultyProxy.start(this.lab.kubeconfig));
  }

  async expectAllRun(count: number, limit = 120_000): Promise<void> {
    await this.lab.until(
      `${count} pods run`,
      async () => {
        const pods = await this.lab.pods();
        const live = pods.filter(({ metadata }) => asObject(metadata).deletionTimestamp === undefined);
        return (
          live.length === count &&
          live.every(({ spec }) => asObject(spec).nodeName !== undefined) &&
          brokenGangs(pods).length === 0
        );
      },
      limit,
    );
    expect(overCapacity(await this.lab.list('/api/v1/nodes'), await this.lab.pods())).toEqual([]);
    expect([...this.watchman.faults]).toEqual([]);
  }

  /** Six gangs run, although a third of all bindings and patches meet this fault. */
  async expectAllRunDespite(fault: Fault): Promise<void> {
    const proxy = await this.throughProxy();
    let asked = 0;
    proxy.trouble = (method, path) =>
      /\/binding|\/pods\/[^/]+$/.test(path) && method !== 'GET' && asked++ % 3 === 1 ? fault : undefined;
    await this.start('only', proxy.kubeconfig);
    await this.lab.createMany(gangs());
    await this.expectAllRun(48);
    expect(proxy.counts.get(fault)).toBeGreaterThan(3);
  }

  async before(): Promise<void> {
    await this.lab.createMany(Array.from({ length: 10 }, (_, i) => node(`n-${i}`)));
    await this.lab.nodesReady(10);
    this.watchman = new Watchman(this.lab);
  }

  async after(): Promise<void> {
    for (const gantry of this.running.splice(0)) {
      await gantry.stop('SIGKILL');
    }
    await this.watchman.stop();
    await this.proxy?.stop();
    this.proxy = undefined;
    await this.lab.clear();
  }
}

/** A suite in a world of its own. */
export function describeBadDays(name: string, define: (world: BadDays) => void): void {
  describeLive(name, () => {
    const world = new BadDays();
    beforeAll(async () => {
      world.lab = await Lab.start({ customResources: false });
    });
    beforeEach(() => world.before());
    afterEach(() => world.after());
    afterAll(() => world.lab.stop());
    define(world);
  });
}
