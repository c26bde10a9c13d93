/**
 * A plan follows the configuration of Gantry's own scheduler, wherever it is: in the same app, or in the cluster.
 */
import { App, Chart, Size } from 'cdk8s';
import {
  Accelerator,
  GantryScheduler,
  type GantrySchedulerProps,
  kubeflow,
  Namespace,
  Plan,
  Scheduling,
  synthesize,
} from '../../../src';
import { type JsonObject } from '../../../src/facts/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { type ClusterPlan, planOf, readClusterFile } from '../../../src/planning/cluster';
import { DEFAULT_POLICY } from '../../../src/placement';

/** Eight nodes with eight GPUs each. */
const LAB = readClusterFile(
  JSON.stringify({
    name: 'lab',
    pools: [{ name: 'gpu', count: 8, accelerator: 'H100-SXM-80GB', cpu: 192, memory: '2Ti' }],
  }),
  'lab.yaml',
);

const gpus = (count: number) => ({ accelerators: Accelerator.nvidia({ count }) });

/** An app with the scheduler and one job of 16 GPUs in a queue of it. */
function appWith(scheduler: GantrySchedulerProps, queue = 'research'): App {
  const app = new App();
  const system = new Chart(app, 'system');
  const gantry = new GantryScheduler(system, 'gantry', scheduler);
  const chart = new Chart(app, 'jobs', { namespace: 'research' });
  new Namespace(chart, 'research', { name: 'research' });
  new kubeflow.PyTorchJob(chart, 'llm', {
    name: 'llm',
    nodes: 2,
    image: 'registry.example.com/llm:1.4',
    command: ['torchrun', 'train.py'],
    accelerators: Accelerator.nvidia({ count: 8 }),
    resources: { cpu: 8, memory: Size.gibibytes(64) },
    sharedMemory: Size.gibibytes(8),
    scheduling: Scheduling.gantry(gantry.queue(queue)),
  });
  return app;
}

const objectsOf = (app: App): readonly JsonObject[] => synthesize(app, { onErrors: 'return' }).objects;
const setOf = (app: App): ManifestSet => synthesize(app, { onErrors: 'return' }).manifests;
/** The same manifests with a text in place of another. */
const edited = (set: ManifestSet, text: string, other: string): ManifestSet =>
  new ManifestSet(
    set.manifests.map((manifest) => ({
      ...manifest,
      object: JSON.parse(JSON.stringify(manifest.object).replaceAll(text, other)) as JsonObject,
    })),
  );
const gangOf = ({ asked }: ClusterPlan) => asked.map(({ view }) => view).find(({ name }) => name === 'research/llm')!;

test('a gang above the capability of its queue waits, and the plan says where the queue comes from', () => {
  const plan = planOf(setOf(appWith({ queues: [{ name: 'research', capability: gpus(8) }] })), LAB);
  expect(gangOf(plan)).toMatchObject({ state: 'pending', queue: 'research', pending: { kind: 'queue-capability' } });
  expect(plan.good).toBe(false);
  expect(plan.view.notes).toContain(
    "Policy and queues of Gantry's scheduler are those of ConfigMap gantry-system/gantry-scheduler.",
  );
  expect(planOf(setOf(appWith({ queues: [{ name: 'research', capability: gpus(16) }] })), LAB).good).toBe(true);
});

test('the configuration of the cluster counts as well, and that of the app wins', () => {
  const open = setOf(appWith({ queues: [{ name: 'research' }] }));
  const jobs = new ManifestSet(open.manifests.filter(({ id }) => id.kind === 'PyTorchJob'));
  const tight = objectsOf(appWith({ queues: [{ name: 'research', capability: gpus(8) }] }));
  const cluster = { ...LAB, objects: tight.filter(({ kind }) => kind === 'ConfigMap') };
  expect(gangOf(planOf(jobs, cluster)).pending?.kind).toBe('queue-capability');
  expect(planOf(open, cluster).good).toBe(true);
});

test('the policy of the scheduler decides, unless another is given', () => {
  const set = setOf(appWith({ queues: [{ name: 'research' }], policy: { actions: [] } }));
  expect(gangOf(planOf(set, LAB)).state).toBe('pending');
  expect(gangOf(planOf(set, LAB, { policy: DEFAULT_POLICY })).state).toBe('placed');
});

test('a queue that the scheduler does not know does not exist', () => {
  const set = setOf(appWith({ queues: [{ name: 'research' }] }));
  const plan = planOf(edited(set, '"gantry.dev/queue":"research"', '"gantry.dev/queue":"reserch"'), LAB);
  expect(gangOf(plan).pending).toMatchObject({ kind: 'unknown-queue', message: 'Queue "reserch" does not exist.' });
});

test('a gang of a namespace that may not use the queue waits with that reason, and takes nothing from the queue', () => {
  const plan = planOf(setOf(appWith({ queues: [{ name: 'research', namespaces: ['applied'] }] })), LAB);
  expect(gangOf(plan)).toMatchObject({
    queue: 'research',
    state: 'pending',
    pending: { message: 'Queue "research" may not be used from namespace "research".' },
  });
  expect(planOf(setOf(appWith({ queues: [{ name: 'research', namespaces: ['research'] }] })), LAB).good).toBe(true);
});

test('a job without a queue is in the default queue of the configuration', () => {
  const set = setOf(appWith({ defaultQueue: 'shared', queues: [{ name: 'shared', capability: gpus(8) }] }, 'shared'));
  expect(gangOf(planOf(edited(set, '"gantry.dev/queue":"shared"', '"example.com/x":"y"'), LAB))).toMatchObject({
    queue: 'shared',
    pending: { kind: 'queue-capability' },
  });
});

test('workloads of other schedulers are planned as before: its queues are not theirs', () => {
  const set = setOf(appWith({ queues: [{ name: 'research', capability: gpus(8) }], policy: { actions: [] } }));
  expect(planOf(edited(set, '"schedulerName":"gantry"', '"schedulerName":"volcano"'), LAB).good).toBe(true);
});

test('a configuration that cannot be read is named, and the plan goes on without it', () => {
  const broken = setOf(appWith({ queues: [{ name: 'research', capability: gpus(8) }] })).manifests.map((manifest) =>
    manifest.id.kind === 'ConfigMap' && manifest.id.name === 'gantry-scheduler'
      ? { ...manifest, object: { ...manifest.object, data: { 'scheduler.yaml': 'queues: 3\n' } } }
      : manifest,
  );
  const plan = planOf(new ManifestSet(broken), LAB);
  expect(plan.good).toBe(true);
  expect(plan.view.notes.join('\n')).toContain(
    "ConfigMap gantry-system/gantry-scheduler cannot be read as the configuration of Gantry's scheduler: ",
  );
});

test('the plan of an app reports the ceiling of its own scheduler', () => {
  const app = appWith({ queues: [{ name: 'research', capability: gpus(8) }] });
  Plan.against(LAB).on(app);
  const { report } = synthesize(app, { onErrors: 'return' });
  expect(report.findings.filter(({ rule }) => rule.startsWith('cluster/'))).toMatchObject([
    { rule: 'cluster/gang-fits', severity: 'error', construct: 'jobs/llm/Resource' },
  ]);
});
