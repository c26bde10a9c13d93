/**
 * Three control planes with Kueue's own controllers: a manager cluster and two worker clusters, set up with the constructs. Each job that is submitted
 * to the manager cluster runs in the worker cluster that `gantry plan` named from snapshots of the three, or in one of those that it named where it
 * says that it cannot know.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Construct } from 'constructs';
import { Accelerator } from '../../../src/constructs/pods';
import { kueue } from '../../../src';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { gantryIn } from '../gantry-command';
import { describeLive } from '../live-cluster';
import { apply, rendered } from '../scheduler/install';
import { Lab } from '../scheduler/lab';
import { node } from '../scheduler/manifests';
import { holds, Kueue, KUEUE_NAMESPACE, whyNoKueue } from './kueue';

const TEAM = 'research';
const GPUS = { hub: 80, east: 8, west: 32 } as const;
type Name = keyof typeof GPUS;
const NAMES = ['hub', 'east', 'west'] as const;
const ACCESS = 'multikueue';

interface Planned {
  readonly name: string;
  readonly cluster?: string;
  readonly alternatives: readonly string[];
  readonly refusals: readonly { readonly cluster: string; readonly message: string }[];
}

/** A job of pods with eight GPUs each. */
function job(name: string, queue: string, pods: number): JsonObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: TEAM, labels: { 'kueue.x-k8s.io/queue-name': queue } },
    spec: {
      parallelism: pods,
      completions: pods,
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [
            {
              name: 'main',
              image: 'registry.example.com/train:1.0',
              resources: { requests: { cpu: '8', memory: '64Gi' }, limits: { 'nvidia.com/gpu': '8' } },
            },
          ],
        },
      },
    },
  };
}

/** In the order in which they are submitted. */
const JOBS = [
  job('large', 'team', 2),
  job('larger-than-workers', 'team', 5),
  job('larger-than-hub', 'team', 11),
  job('west-only', 'west', 1),
  job('anywhere', 'team', 1),
];

function queues(chart: Construct, name: Name, checks: readonly kueue.AdmissionCheckReference[] = []): void {
  const gpus = GPUS[name];
  const training = new kueue.ClusterQueue(chart, 'training', {
    admissionChecks: checks,
    flavors: [
      {
        flavor: new kueue.ResourceFlavor(chart, 'any'),
        nominalQuota: { cpu: 1000, memory: '10Ti', accelerators: Accelerator.nvidia({ count: gpus }) },
      },
    ],
  });
  // The queue `west` is not in the cluster east.
  for (const queue of name === 'east' ? ['team'] : ['team', 'west']) {
    new kueue.LocalQueue(chart, `local-${queue}`, { name: queue, namespace: TEAM, clusterQueue: training });
  }
}

const MANAGER = rendered((chart) => {
  const workers = new kueue.MultiKueue(chart, 'workers', {
    clusters: ['east', 'west'].map(
      (name) => new kueue.MultiKueueCluster(chart, name, { access: { secret: `${name}-kubeconfig` } }),
    ),
  });
  queues(chart, 'hub', [workers]);
});
const workerObjects = (name: 'east' | 'west'): readonly JsonObject[] =>
  rendered((chart) => {
    new kueue.MultiKueueWorkerAccess(chart, ACCESS, { namespace: KUEUE_NAMESPACE, kinds: ['Job'] });
    queues(chart, name);
  });

const describeKueue = whyNoKueue() === undefined ? describeLive : describe.skip;

describeKueue('MultiKueue on three control planes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-multikueue-'));
  const labs = new Map<Name, Lab>();
  const controllers: Kueue[] = [];
  const lab = (name: Name): Lab => labs.get(name)!;

  /** As docs/kueue.md says: the address, the certificate, and the token of the account of a worker cluster. */
  async function kubeconfigSecret(name: 'east' | 'west'): Promise<JsonObject> {
    const worker = lab(name);
    let token: string | undefined;
    await worker.until('the token of the access', async () => {
      const secret = await worker.get(`/api/v1/namespaces/${KUEUE_NAMESPACE}/secrets/${ACCESS}`);
      token = asString(asObject(secret?.data).token);
      return token !== undefined;
    });
    const [{ cluster }] = (
      JSON.parse(readFileSync(worker.kubeconfig, 'utf8')) as { readonly clusters: readonly JsonObject[] }
    ).clusters;
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster }],
      users: [{ name: 'kueue', user: { token: Buffer.from(token ?? '', 'base64').toString() } }],
      contexts: [{ name, context: { cluster: name, user: 'kueue' } }],
      'current-context': name,
    };
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-kubeconfig`, namespace: KUEUE_NAMESPACE },
      stringData: { kubeconfig: JSON.stringify(kubeconfig) },
    };
  }

  async function addNodes(name: Name, count: number): Promise<void> {
    await lab(name).create(...Array.from({ length: count }, (_, index) => node(`${name}-${index}`)));
    await lab(name).nodesReady(count);
  }

  /** The Workload of a job in the manager cluster. */
  const workloadOf = async (name: string): Promise<JsonObject | undefined> =>
    (await lab('hub').list(`/apis/kueue.x-k8s.io/v1beta2/namespaces/${TEAM}/workloads`)).find(({ metadata }) =>
      asArray(asObject(metadata).ownerReferences).some((owner) => asObject(owner).name === name),
    );
  const clusterOf = async (name: string): Promise<string | undefined> =>
    asString(asObject((await workloadOf(name))?.status).clusterName);
  const jobIn = (name: Name, of: string): Promise<JsonObject | undefined> =>
    lab(name).get(`/apis/batch/v1/namespaces/${TEAM}/jobs/${of}`);
  const isSuspended = async (name: Name, of: string): Promise<unknown> =>
    asObject((await jobIn(name, of))?.spec).suspend;

  beforeAll(async () => {
    for (const name of NAMES) {
      const started = await Lab.start({ extra: ['kube-controller-manager', 'kwok'], customResources: false });
      labs.set(name, started);
      controllers.push(await Kueue.start(started));
      await apply(started, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TEAM } }]);
      await addNodes(name, name === 'hub' ? 1 : GPUS[name] / 8);
    }
    for (const name of ['east', 'west'] as const) {
      await apply(lab(name), workerObjects(name));
      await apply(lab('hub'), [await kubeconfigSecret(name)]);
    }
    await apply(lab('hub'), MANAGER);
    for (const name of NAMES) {
      await lab(name).until(
        `the ClusterQueue of ${name} is active`,
        async () => holds(await lab(name).get('/apis/kueue.x-k8s.io/v1beta2/clusterqueues/training'), 'Active'),
        120_000,
      );
      gantryIn(folder, lab(name).kubeconfig, 'snapshot', '-o', `${name}.gantry.json.gz`);
    }
    writeFileSync(join(folder, 'jobs.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: JOBS }));
  });
  afterAll(async () => {
    await Promise.all(controllers.map((controller) => controller.stop()));
    await Promise.all([...labs.values()].map((started) => started.stop()));
    rmSync(folder, { recursive: true });
  });

  it('connects to the worker clusters with the access of the construct', async () => {
    for (const name of ['east', 'west']) {
      const cluster = await lab('hub').get(`/apis/kueue.x-k8s.io/v1beta2/multikueueclusters/${name}`);
      expect([name, holds(cluster, 'Active')]).toEqual([name, true]);
    }
  });

  it('runs each job where the plan says', async () => {
    const words = ['plan', 'jobs.json', '--format', 'json', '--output', 'plan.json'];
    const clusters = NAMES.flatMap((name) => ['--cluster', `${name}=${name}.gantry.json.gz`]);
    // Two of the jobs wait.
    expect(() => gantryIn(folder, '', ...words, ...clusters)).toThrow('status 1');
    const { gangs } = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) as { readonly gangs: Planned[] };
    const planned = new Map(gangs.map((gang) => [gang.name.split('/').at(-1)!, gang]));
    const placesOf = (name: string): readonly string[] => {
      const { cluster, alternatives } = planned.get(name)!;
      return cluster === undefined ? [] : [cluster, ...alternatives].sort();
    };
    expect(Object.fromEntries([...planned.keys()].map((name) => [name, placesOf(name)]))).toEqual({
      large: ['west'],
      'larger-than-workers': [],
      'larger-than-hub': [],
      'west-only': ['west'],
      anywhere: ['east', 'west'],
    });
    expect(planned.get('larger-than-hub')!.refusals.map(({ cluster }) => cluster)).toEqual(['hub']);
    expect(planned.get('larger-than-workers')!.refusals.map(({ cluster }) => cluster)).toEqual(['east', 'west']);

    const chosen = new Map<string, string | undefined>();
    for (const submitted of JOBS) {
      const name = asString(asObject(submitted.metadata).name)!;
      await apply(lab('hub'), [submitted]);
      if (placesOf(name).length > 0) {
        await lab('hub').until(`${name} has a cluster`, async () => (await clusterOf(name)) !== undefined);
      }
      chosen.set(name, await clusterOf(name));
    }
    for (const [name, cluster] of chosen) {
      expect([name, placesOf(name), cluster]).toEqual([
        name,
        placesOf(name),
        placesOf(name).length === 0 ? undefined : expect.stringMatching(`^(${placesOf(name).join('|')})$`),
      ]);
    }

    // It runs in the worker cluster, and only there.
    const [other, worker] = ['east', 'west'] as const;
    await lab(worker).until('large runs in west', async () => (await isSuspended(worker, 'large')) === false);
    expect(await jobIn(other, 'large')).toBeUndefined();
    expect(asObject((await jobIn('hub', 'large'))?.spec).managedBy).toBe('kueue.x-k8s.io/multikueue');

    // What waits, waits where the plan says: one in the queue of the manager cluster, the other in the queues of the workers.
    await sleep(3000);
    expect([await clusterOf('larger-than-hub'), await clusterOf('larger-than-workers')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(holds(await workloadOf('larger-than-hub'), 'QuotaReserved')).toBe(false);
    expect(await jobIn('west', 'larger-than-hub')).toBeUndefined();
    const asked = await lab('west').list(`/apis/kueue.x-k8s.io/v1beta2/namespaces/${TEAM}/workloads`);
    const names = asked.map(({ metadata }) => asString(asObject(metadata).name));
    expect(names).toContain(asString(asObject((await workloadOf('larger-than-workers'))?.metadata).name));
    expect(names).not.toContain(asString(asObject((await workloadOf('larger-than-hub'))?.metadata).name));
  });
});
