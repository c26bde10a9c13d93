/**
 * Gantry and kube-scheduler place pods on the same nodes at the same time. What Gantry places is handed over, so kube-scheduler binds everything,
 * and no capacity is promised twice.
 *
 * It lasts `GANTRY_BESIDE_SECONDS` (30), during which the nodes are nearly full and pods of both come and go.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject } from '../../../src/manifests/read';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { brokenGangs } from './invariants';
import { Lab, nameOf } from './lab';
import { lastingGang, node, pod } from './manifests';
import { PodWatch } from './pod-watch';

const SECONDS = Number(process.env.GANTRY_BESIDE_SECONDS ?? 30);
const NODES = 6;
/** Of 48 devices: together more than there are, so that both always have pods that wait. */
const GANGS = 8;
const GANG_SIZE = 4;
const OTHERS = 24;

describeLive('beside kube-scheduler on the same nodes', () => {
  let lab: Lab;
  let gantry: GantryProcess;
  let watch: PodWatch;

  beforeAll(async () => {
    lab = await Lab.start({ customResources: false });
    await lab.createMany(Array.from({ length: NODES }, (_, i) => node(`n-${i}`)));
    await lab.nodesReady(NODES);
    watch = await PodWatch.start(lab);
    gantry = await GantryProcess.start({
      kubeconfig: lab.kubeconfig,
      config: 'policy: { staleGangSeconds: 10 }\nhandOver: { timeoutSeconds: 3 }\n',
    });
  });
  afterAll(async () => {
    await gantry?.stop();
    await watch?.stop();
    await lab?.stop();
  });

  const ofKubeScheduler = (name: string): JsonObject =>
    pod(name, { gpus: 1, spec: { schedulerName: 'default-scheduler' } });
  const ofGantry = (name: string): JsonObject => lastingGang(name, GANG_SIZE, { gpus: 1, handOver: true });
  const isGang = (name: string): boolean => name.startsWith('gang-');

  it(
    `no node is over capacity at any moment of ${SECONDS} seconds, both go on, and all gangs run at the end`,
    async () => {
      const gangs = Array.from({ length: GANGS }, (_, i) => `gang-${i}`);
      const others = Array.from({ length: OTHERS }, (_, i) => `other-${i}`);
      await lab.createMany([...gangs.map(ofGantry), ...others.map(ofKubeScheduler)]);
      const started = Date.now();
      const counts = { gangs: 0, others: 0 };
      for (let round = 0; Date.now() - started < SECONDS * 1000; round++) {
        // The oldest go, those that run first, and as many come.
        const running = new Set(Object.keys(await lab.places()));
        const leaving = [...others].filter((name) => running.has(name)).slice(0, 2);
        for (const name of leaving) {
          others.splice(others.indexOf(name), 1);
          await lab.delete(`/api/v1/namespaces/default/pods/${name}`);
          const next = `other-${OTHERS + counts.others++}`;
          others.push(next);
          await lab.create(ofKubeScheduler(next));
        }
        const gang = gangs.find(
          (name) => [...running].filter((one) => one.startsWith(`${name}-`)).length === GANG_SIZE,
        );
        if (round % 4 === 0 && gang !== undefined) {
          gangs.splice(gangs.indexOf(gang), 1);
          await endGang(gang);
          const next = `gang-${GANGS + counts.gangs++}`;
          gangs.push(next);
          await lab.create(ofGantry(next));
        }
        await sleep(100);
      }
      expect([...watch.faults]).toEqual([]);
      // Each has pods that got a node, far more than fit at once.
      expect(counts.gangs).toBeGreaterThan(SECONDS / 10);
      expect(counts.others).toBeGreaterThan(SECONDS / 10);
      for (const name of others.splice(0)) {
        await lab.delete(`/api/v1/namespaces/default/pods/${name}`);
      }
      await lab.until('all gangs run', async () => {
        const pods = await lab.pods();
        const left = pods.filter(
          (one) => asObject(one.metadata).deletionTimestamp === undefined && isGang(nameOf(one)),
        );
        return (
          left.length === GANGS * GANG_SIZE &&
          left.every(({ spec }) => asObject(spec).nodeName !== undefined) &&
          brokenGangs(pods).length === 0
        );
      });
      expect([...watch.faults]).toEqual([]);
      process.stdout.write(
        `${counts.others} pods of kube-scheduler and ${counts.gangs} gangs came and went in ${SECONDS} s; ${watch.events} changes of pods\n`,
      );
    },
    (SECONDS + 150) * 1000,
  );

  async function endGang(name: string): Promise<void> {
    await lab.cluster.client.request('DELETE', `/apis/apps/v1/namespaces/default/replicasets/${name}`, {
      body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    });
    for (const one of await lab.pods()) {
      if (nameOf(one).startsWith(`${name}-`)) {
        await lab.delete(`/api/v1/namespaces/default/pods/${nameOf(one)}`);
      }
    }
  }
});
