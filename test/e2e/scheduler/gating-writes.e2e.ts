/**
 * Status that controllers wait for, while thousands of pods wait for which the scheduler reports why: Volcano's controllers make the pods of a
 * job only after its PodGroup has the phase `Inqueue`.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject } from '../../../src/manifests/read';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { Lab, nameOf } from './lab';
import { node, pod } from './manifests';

const CROWD = 3000;
/** Events and conditions of the crowd take five minutes at this rate. */
const CONFIG = `
enqueueVolcanoPodGroups: true
explain: { writesPerSecond: 20 }
`;
const GROUPS = '/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups';
/** A hundred times what it takes on an idle machine, and a part of what the writes of the crowd take. */
const AT_ONCE = 30_000;

function podGroup(name: string): JsonObject {
  return {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'PodGroup',
    metadata: { name, namespace: 'default' },
    spec: { minMember: 2 },
  };
}

describeLive('status that controllers wait for', () => {
  let lab: Lab;
  let gantry: GantryProcess;

  beforeAll(async () => {
    lab = await Lab.start({ extra: ['kube-controller-manager', 'kwok'] });
    await lab.create(node('n-0'));
    await lab.nodesReady(1);
    gantry = await GantryProcess.start({ kubeconfig: lab.kubeconfig, config: CONFIG });
    await gantry.until('leading: pods and nodes listed again');
  });
  afterAll(async () => {
    await gantry.stop();
    await lab.stop();
  });

  async function phaseOf(name: string): Promise<unknown> {
    return asObject((await lab.get(`${GROUPS}/${name}`))?.status).phase;
  }

  /** Pods of the crowd whose condition does not say yet why they wait. */
  async function unexplained(): Promise<number> {
    const crowd = (await lab.pods()).filter((one) => nameOf(one).startsWith('never-'));
    return crowd.filter(({ status }) => asArray(asObject(status).conditions).length === 0).length;
  }

  it('is written at once while reports about 3,000 impossible pods wait to be sent', async () => {
    await lab.createMany(Array.from({ length: CROWD }, (_, i) => pod(`never-${i}`, { gpus: 100 })));
    await lab.until('all of them wait', async () => (await gantry.metric('gantry_pending_gangs')) === CROWD);
    for (const name of ['job-0', 'job-1']) {
      await lab.create(podGroup(name));
      await lab.until(`${name} may make its pods`, async () => (await phaseOf(name)) === 'Inqueue', AT_ONCE);
    }
    const annotations = { 'scheduling.k8s.io/group-name': 'job-0' };
    await lab.create(pod('job-0-0', { annotations }), pod('job-0-1', { annotations }));
    await lab.until(
      'its pods have a node',
      async () =>
        Object.keys(await lab.places())
          .sort()
          .join() === 'job-0-0,job-0-1',
      AT_ONCE,
    );
    // What informs came later: most of it is still to be sent.
    expect(await unexplained()).toBeGreaterThan(CROWD / 2);
  });
});
