/**
 * The example of the scheduler on a cluster that is much smaller than its queues say: the reasons name the queue that is in the way, and the
 * changes that they propose are enough, and no more than enough.
 */
import { App } from 'cdk8s';
import { scheduler } from '../../examples/scheduler/main';
import { synthesize } from '../../src';
import { type JsonObject } from '../../src/facts/api/schema';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { type ClusterPlan, planOf, readClusterFile, type ViewGang } from '../../src/planning/cluster';
import { gpus, setOf } from '../planning/cluster/builders';

const EIGHT_GPUS = readClusterFile(
  JSON.stringify({
    pools: [{ name: 'gpu', names: 'n-#', count: 1, accelerator: 'H100-SXM-80GB', perNode: 8, cpu: 192, memory: '2Ti' }],
  }),
  'cluster.yaml',
);
const GUARANTEE = 32;

function podOf(name: string, queue: string, count: number): string {
  const metadata = `{namespace: default, name: ${name}, labels: {gantry.dev/queue: ${queue}}}`;
  return `{apiVersion: v1, kind: Pod, metadata: ${metadata}, spec: ${gpus(count, 'schedulerName: gantry, ')}}`;
}

/** The example, with pods, and with another guarantee of `research`. */
function planWith(pods: readonly string[], guarantee = GUARANTEE): ClusterPlan {
  const example = synthesize(scheduler(new App()), { onErrors: 'return' }).manifests.manifests.map((manifest) => ({
    ...manifest,
    object: JSON.parse(
      JSON.stringify(manifest.object).replace(/(guarantee:\\n +nvidia.com\/gpu: \\")32/, `$1${guarantee}`),
    ) as JsonObject,
  }));
  return planOf(new ManifestSet([...example, ...setOf(...pods).manifests]), EIGHT_GPUS);
}

function gangOf({ view }: ClusterPlan, name: string): ViewGang {
  return view.gangs.find((gang) => gang.name === name)!;
}

test.each([
  ['applied', 4, 28],
  ['default', 1, 25],
])(
  'queue %s has nothing left of what is guaranteed to another, which has to be guaranteed less',
  (queue, asked, by) => {
    const name = 'default/asks';
    const before = gangOf(planWith([podOf('asks', queue, asked)]), name);
    expect(before.pending).toMatchObject({
      kind: 'queue-guarantees',
      message:
        `The gang needs ${asked} nvidia.com/gpu, but the guarantees of queue "research" (32 nvidia.com/gpu) leave 0 nvidia.com/gpu ` +
        `for queue "${queue}".`,
      changes: [`Fits if the guarantee of queue "research" is lowered by ${by} nvidia.com/gpu.`],
    });
    const stateWith = (less: number): string =>
      gangOf(planWith([podOf('asks', queue, asked)], GUARANTEE - less), name).state;
    expect([stateWith(by), stateWith(by - 1)]).toEqual(['placed', 'pending']);
  },
);

test('no change of a guarantee is proposed where pods of the guaranteed queue have the devices', () => {
  const made = planWith([podOf('asks', 'applied', 4), podOf('has', 'research', 8)]);
  expect(gangOf(made, 'default/has').state).toBe('placed');
  expect(gangOf(made, 'default/asks').pending).toMatchObject({ kind: 'queue-guarantees', changes: [] });
});

test('what the cluster does not have is no guarantee of others: the job of the example lacks nodes', () => {
  const { pending } = gangOf(planWith([]), 'research/pretrain');
  expect(pending).toMatchObject({ kind: 'no-fit', fits: 1, needed: 8 });
  expect(pending!.message).not.toContain('guarantee');
});

test('more than the cluster has is a limit of no queue, whichever asks for it', () => {
  const { pending } = gangOf(planWith([podOf('asks', 'research', 16)]), 'default/asks');
  expect(pending).toMatchObject({ kind: 'no-fit' });
  expect(pending!.changes.join()).not.toContain('guarantee');
});
