/**
 * The scheduler is upgraded and rolled back while gangs come and go: old, new, old, two replicas each time, one replaced after the other.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCHEDULER_BUNDLE } from '../../../projen/runtime/bundle';
import { asObject } from '../../../src/manifests/read';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { brokenGangs } from './invariants';
import { Lab, nameOf } from './lab';
import { lastingGang, node } from './manifests';
import { type OldBundle, oldBundle } from './old-bundle';
import { PodWatch } from './pod-watch';

const LEASE_SECONDS = 5;
const NODES = 8;
/** Of 64 devices, so that a few gangs always wait. */
const GANGS = 18;
const GANG_SIZE = 4;
const CONFIG = 'policy: { staleGangSeconds: 10 }\nhandOver: { timeoutSeconds: 5 }\n';

describeLive('an upgrade and a rollback of the scheduler under load', () => {
  let lab: Lab;
  let watch: PodWatch;
  let old: OldBundle;
  const running = new Map<string, GantryProcess>();

  beforeAll(async () => {
    old = await oldBundle();
    lab = await Lab.start({ customResources: false });
    await lab.createMany(Array.from({ length: NODES }, (_, i) => node(`n-${i}`)));
    await lab.nodesReady(NODES);
    watch = await PodWatch.start(lab);
  });
  afterAll(async () => {
    for (const gantry of running.values()) {
      await gantry.stop('SIGKILL');
    }
    await watch?.stop();
    await lab?.stop();
    old?.remove();
  });

  async function start(identity: string, bundle: string | undefined): Promise<void> {
    const gantry = await GantryProcess.start({
      kubeconfig: lab.kubeconfig,
      config: CONFIG,
      identity,
      leaseSeconds: LEASE_SECONDS,
      ...(bundle !== undefined && { bundle }),
    });
    running.set(identity, gantry);
  }

  /** As a Deployment does it: a new replica is ready before an old one gets the signal to end. */
  async function replaceAll(version: string, bundle: string | undefined): Promise<void> {
    for (const before of [...running.keys()]) {
      const name = `${version}-${before.split('-')[1]}`;
      await start(name, bundle);
      await lab.until(`${name} is ready`, () => running.get(name)!.isReady());
      await running.get(before)!.stop('SIGTERM');
      running.delete(before);
      await bindsMore();
    }
  }

  const bound = (): number => watch.bound.get('gantry') ?? 0;
  /** Those that run now bind a few pods. */
  function bindsMore(): Promise<void> {
    const before = bound();
    return lab.until('more pods are bound', () => Promise.resolve(bound() >= before + 2 * GANG_SIZE));
  }

  it('binds no pod twice, leaves no gang in part, and loses none', async () => {
    let isOver = false;
    const gangs: string[] = [];
    let ended = 0;
    const comeAndGo = async (): Promise<void> => {
      for (let made = 0; !isOver; await sleep(150)) {
        if (gangs.length < GANGS) {
          const name = `gang-${made}`;
          gangs.push(name);
          await lab.create(lastingGang(name, GANG_SIZE, { gpus: 1, handOver: made % 3 === 0 }));
          made++;
        }
        const places = Object.keys(await lab.places());
        const whole = gangs.find((name) => places.filter((one) => one.startsWith(`${name}-`)).length === GANG_SIZE);
        if (whole !== undefined && gangs.length === GANGS) {
          gangs.splice(gangs.indexOf(whole), 1);
          await endGang(whole);
          ended++;
        }
      }
    };
    await start('old-a', old.path);
    await start('old-b', old.path);
    const load = comeAndGo();
    try {
      await bindsMore();
      // The replicas of each version bind pods once those of the other are gone.
      await replaceAll('new', undefined);
      await replaceAll('again', old.path);
    } finally {
      isOver = true;
      await load;
    }
    expect([...running.keys()]).toEqual(['again-a', 'again-b']);
    // All that wait fit once the first few have ended.
    for (const name of gangs.splice(0, 4)) {
      await endGang(name);
    }
    await lab.until('all gangs run', async () => {
      const pods = (await lab.pods()).filter(({ metadata }) => asObject(metadata).deletionTimestamp === undefined);
      return (
        pods.length === gangs.length * GANG_SIZE &&
        pods.every(({ spec }) => asObject(spec).nodeName !== undefined) &&
        brokenGangs(pods).length === 0
      );
    });
    expect([...watch.faults]).toEqual([]);
    process.stdout.write(
      `${ended} gangs ended while ${old.from} was replaced and came back; builds differ: ${differ(old.path)}\n`,
    );
    expect(differ(old.path)).toBe(true);
  });

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

function differ(path: string): boolean {
  const current = join(resolve(__dirname, '../../..'), SCHEDULER_BUNDLE.output);
  const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
  return digest(path) !== digest(current);
}
