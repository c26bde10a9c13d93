/**
 * The reference platform is what a reader copies from: it is held to more than "no errors".
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'cdk8s';
import { NODES, nodes } from '../../examples/reference-platform/cluster';
import { referencePlatform } from '../../examples/reference-platform/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { sampleCluster } from '../../src/planning/cluster';
import { amountsByName } from '../../src/constructs/pods/amounts';
import { Plan } from '../../src/planning/cluster/plan-on-synth';
import { type Manifest } from '../../src/manifests/manifest';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseQuantity, Quantity } from '../../src/manifests/values/quantity';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { parseYaml } from '../../src/manifests/yaml';
import { amountsIn, podAmounts } from '../../src/manifests/pods/pod-amounts';
import { Testing } from '../../src/interfaces/testing';

const GPU = 'nvidia.com/gpu';
const RDMA = 'nvidia.com/mlx5_rdma';
const TEAMS = ['research', 'applied'];

const everything = amountsIn(amountsByName('nodes', nodes(NODES)));

let folder: string;

/** Synthesizes into a folder, as `npm start` does, and gives name and text of each file in the order in which they are applied. */
function synthesize(name: string): readonly (readonly [string, string])[] {
  const outdir = join(folder, name);
  referencePlatform(new App({ outdir })).synth();
  return readdirSync(outdir)
    .sort()
    .map((file) => [file, readFileSync(join(outdir, file), 'utf8')]);
}

let files: readonly (readonly [string, string])[];
let set: ManifestSet;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reference-platform-'));
  files = synthesize('first');
  set = new ManifestSet(files.flatMap(([file, text]) => parseYaml(text, file).manifests));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const spec = (kind: string, name: string, namespace?: string): JsonObject =>
  asObject(set.get(kind, name, namespace)?.object.spec);
const amount = (amounts: ReadonlyMap<string, Quantity>, resource: string): number =>
  amounts.get(resource)?.toNumber() ?? 0;

/** What all pods of a workload request together. */
function total(manifest: Manifest, resource: string): number {
  const each = set
    .podTemplatesOf(manifest)
    .map(({ spec: pod, count = 0 }) => amount(podAmounts(pod).requests, resource) * count);
  return each.reduce((sum, one) => sum + one, 0);
}

const jobs = (namespace: string): readonly Manifest[] =>
  set.manifests.filter((manifest) => manifest.id.namespace === namespace && set.podTemplatesOf(manifest).length > 0);

describe('what comes out', () => {
  test('the checks find nothing at all', () => {
    const report = Testing.check(referencePlatform(new App()));
    expect(report.findings).toEqual([]);
    expect(report.suppressed).toEqual([]);
    expect(report.notChecked).toEqual([]);
  });

  test('two runs give the same bytes', () => {
    expect(synthesize('second')).toEqual(files);
  });

  test('files are numbered in the order in which a cluster takes them', () => {
    expect(files.map(([file]) => file)).toEqual([
      '0000-nodes.k8s.yaml',
      '0001-platform.k8s.yaml',
      '0002-teams.k8s.yaml',
      '0003-research.k8s.yaml',
      '0004-applied.k8s.yaml',
      '0005-serving.k8s.yaml',
      '0006-lab.k8s.yaml',
    ]);
  });

  test('whatever an object names comes before it', () => {
    const position = new Map(set.manifests.map((manifest, index) => [manifest, index]));
    const late = set.manifests.flatMap((manifest) =>
      set
        .referencesFrom(manifest)
        .map((reference) => set.resolve(reference))
        .filter((target) => target !== undefined && position.get(target)! > position.get(manifest)!)
        .map((target) => `${manifest.id.kind} ${manifest.id.name} before ${target!.id.kind} ${target!.id.name}`),
    );
    expect(late).toEqual([]);
  });

  test('it uses every domain', () => {
    const groups = new Set(set.manifests.map(({ id }) => id.group));
    for (const group of [
      'scheduling.volcano.sh',
      'batch.volcano.sh',
      'kubeflow.org',
      'trainer.kubeflow.org',
      'jobset.x-k8s.io',
      'ray.io',
      'kueue.x-k8s.io',
      'keda.sh',
      'resource.k8s.io',
      'sriovnetwork.openshift.io',
      'k8s.cni.cncf.io',
      'monitoring.coreos.com',
      'helm.toolkit.fluxcd.io',
      'apps',
      'batch',
      'policy',
    ]) {
      expect([group, groups.has(group)]).toEqual([group, true]);
    }
  });

  test('on the sample cluster everything has its place', () => {
    const app = referencePlatform(new App());
    Plan.against(sampleCluster()).on(app);
    expect(Testing.check(app).findings).toEqual([]);
  });

  test('it has what a platform for two teams needs', () => {
    const count = (kind: string): number => set.ofKind(kind).length;
    expect(set.ofKind('Namespace').map(({ id }) => id.name)).toEqual([
      'gpu-operator',
      'network-operator',
      'node-tuning',
      'gantry-node-agent',
      'gantry-remediation',
      ...TEAMS,
      'serving',
      'lab',
    ]);
    expect(set.ofKind('scheduling.volcano.sh/Queue').map(({ id }) => id.name)).toEqual(['ai', ...TEAMS]);
    expect(set.ofKind('scheduling.k8s.io/PriorityClass').map(({ object }) => object.value)).toEqual([1000, 2000, 3000]);
    expect([
      count('ResourceQuota'),
      count('LimitRange'),
      count('kubeflow.org/PyTorchJob'),
      count('batch.volcano.sh/Job'),
    ]).toEqual([2, 2, 2, 1]);
    expect(
      asString(
        asObject(set.get('ConfigMap', 'volcano-scheduler-configmap', 'volcano-system')?.object.data)[
          'volcano-scheduler.conf'
        ],
      ),
    ).toMatch(/name: capacity/);
  });
});

describe('the jobs', () => {
  test('both training jobs begin with 8 nodes of 8 GPUs, one static and one elastic from 4 to 8', () => {
    const [pretraining, finetuning] = set.ofKind('kubeflow.org/PyTorchJob');
    expect([total(pretraining, GPU), total(finetuning, GPU)]).toEqual([64, 64]);
    expect(asObject(pretraining.object.spec).elasticPolicy).toBeUndefined();
    expect(Object.keys(asObject(asObject(pretraining.object.spec).pytorchReplicaSpecs))).toEqual(['Master', 'Worker']);
    expect(asObject(finetuning.object.spec).elasticPolicy).toMatchObject({ minReplicas: 4, maxReplicas: 8 });
  });

  test('every pod has a whole node: a network card for each GPU, shared memory within its memory, no capacity left for other pods', () => {
    const node = amountsIn(amountsByName('node', nodes(1)));
    for (const { spec: pod, manifest } of TEAMS.flatMap(jobs).flatMap((job) => set.podTemplatesOf(job))) {
      const { requests, limits } = podAmounts(pod);
      expect([manifest.id.name, amount(requests, GPU), amount(requests, RDMA)]).toEqual([
        manifest.id.name,
        amount(node, GPU),
        amount(node, GPU),
      ]);
      expect(amount(requests, 'cpu')).toBeLessThanOrEqual(amount(node, 'cpu'));
      expect(amount(requests, 'memory')).toBeLessThanOrEqual(amount(node, 'memory'));
      expect(limits.get('memory')).toEqual(requests.get('memory'));
      const shm = asArray(pod.volumes)
        .map(asObject)
        .find((volume) => asObject(volume.emptyDir).medium === 'Memory');
      expect(parseQuantity(asString(asObject(shm?.emptyDir).sizeLimit)!)!.toNumber()).toBeLessThan(
        amount(limits, 'memory') / 2,
      );
    }
  });

  test('every job goes to the queue of its team, with a class of the ladder, through Volcano', () => {
    for (const namespace of TEAMS) {
      for (const job of jobs(namespace)) {
        const names = set.referencesFrom(job).map((reference) => [reference.kind, reference.name]);
        expect(names).toContainEqual(['scheduling.volcano.sh/Queue', namespace]);
        expect(names.filter(([kind]) => kind === 'scheduling.k8s.io/PriorityClass').length).toBeGreaterThan(0);
      }
    }
  });

  test('all three jobs together fill the cluster and do not exceed it', () => {
    expect(TEAMS.flatMap(jobs).reduce((sum, job) => sum + total(job, GPU), 0)).toBe(amount(everything, GPU));
  });
});

describe('the shares', () => {
  const queue = (name: string, field: string): ReadonlyMap<string, Quantity> =>
    amountsIn(spec('scheduling.volcano.sh/Queue', name)[field]);
  const resources = [GPU, RDMA, 'cpu', 'memory'];

  test("a team's quota holds its jobs, its queue may hold its quota, and it deserves no more", () => {
    for (const team of TEAMS) {
      const hard = amountsIn(spec('ResourceQuota', `${team}-quota`, team).hard);
      for (const resource of resources) {
        const wanted = jobs(team).reduce((sum, job) => sum + total(job, resource), 0);
        const quota = amount(hard, `requests.${resource}`);
        expect(wanted).toBeLessThanOrEqual(quota);
        expect(amount(queue(team, 'capability'), resource)).toBe(quota);
        expect(amount(queue(team, 'deserved'), resource)).toBeLessThanOrEqual(quota);
      }
    }
  });

  test("what the teams deserve is the parent's, which is the cluster's", () => {
    for (const resource of resources) {
      const children = TEAMS.map((team) => amount(queue(team, 'deserved'), resource)).reduce(
        (sum, one) => sum + one,
        0,
      );
      expect(children).toBe(amount(queue('ai', 'deserved'), resource));
      expect(amount(queue('ai', 'capability'), resource)).toBe(children);
    }
    expect(amount(queue('ai', 'capability'), GPU)).toBe(amount(everything, GPU));
  });

  test('the guarantee of research is what its pre-training needs', () => {
    const guarantee = amountsIn(asObject(spec('scheduling.volcano.sh/Queue', 'research').guarantee).resource);
    const [pretraining] = jobs('research');
    for (const resource of resources) {
      expect(amount(guarantee, resource)).toBeGreaterThanOrEqual(total(pretraining, resource));
    }
  });

  test('applied deserves the least that its jobs need, so that they go on when research takes its own', () => {
    const deserved = amount(queue('applied', 'deserved'), GPU);
    const evaluation = total(set.get('batch.volcano.sh/Job', 'evaluation', 'applied')!, GPU);
    const least = 4 * 8;
    expect(least + evaluation).toBe(deserved);
  });

  test('the data of a team fits its storage quota', () => {
    for (const team of TEAMS) {
      const claims = set.ofKind('PersistentVolumeClaim').filter(({ id }) => id.namespace === team);
      const sizes = claims.map(
        ({ object }) =>
          amountsIn(asObject(asObject(asObject(object.spec).resources).requests)).get('storage') ?? Quantity.ZERO,
      );
      const hard = amountsIn(spec('ResourceQuota', `${team}-quota`, team).hard);
      expect(
        sizes.reduce((sum, size) => sum.add(size), Quantity.ZERO).isGreaterThan(hard.get('requests.storage')!),
      ).toBe(false);
      expect(claims.length).toBeLessThanOrEqual(amount(hard, 'persistentvolumeclaims'));
    }
  });
});
