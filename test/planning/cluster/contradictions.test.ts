/**
 * What the objects of a cluster contradict each other in is said in the notes of the plan.
 */
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { planOf, readClusterFile, type ClusterState } from '../../../src/planning/cluster';
import { gang, running, template } from '../../placement/builders';

const EMPTY = readClusterFile(
  JSON.stringify({
    name: 'lab',
    pools: [{ name: 'gpu', count: 1, perNode: 2, accelerator: 'L40S', cpu: 64, memory: '256Gi' }],
  }),
  'lab.yaml',
);

/** One node with two GPUs, on which pods with the given devices run: parts on both, and a whole device that is not known. */
function clusterWith(devices: readonly (readonly number[] | undefined)[]): ClusterState {
  const [{ name }] = EMPTY.nodes;
  return {
    ...EMPTY,
    gangs: devices.map((known, index) => ({
      gang: gang(
        `g${index}`,
        1,
        known === undefined ? template(1) : template(0, { accelerator: { kind: 'fraction', milli: 400 } }),
      ),
      pods: [running(`g${index}`, name, 0, known === undefined ? {} : { devices: known })],
      facts: { kind: 'Pod', namespace: 'default' },
      keys: [`default/pod/g${index}`],
    })),
    queues: [{ name: 'q' }],
  };
}

test('a whole device beside parts on every device of the node is a note', () => {
  const { view } = planOf(new ManifestSet([]), clusterWith([[0], [1], undefined]));
  expect(
    view.notes.filter((note) => note.includes('the other pods there leave no nvidia.com/gpu for it')),
  ).toHaveLength(1);
});

test('without a contradiction there is no note', () => {
  expect(planOf(new ManifestSet([]), clusterWith([[0], undefined])).view.notes).toEqual([]);
});
