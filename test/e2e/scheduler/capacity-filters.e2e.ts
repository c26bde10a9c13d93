/**
 * Capacity filters of the policy, with reports as the node agent writes them into the Node.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { GANTRY_ACCELERATOR_CAPACITY } from '../../../src/facts/catalog';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { Lab } from './lab';
import { node, pod } from './manifests';

const DEVICES = 8;
const SECONDS = 15;

const CONFIG = `
policy:
  capacityReportSeconds: ${SECONDS}
  capacityFilters:
    - { mode: hard, utilization: 0.9, pools: [shared] }
    - { mode: soft, utilization: 0.5 }
`;

describeLive('capacity filters', () => {
  let lab: Lab;
  let gantry: GantryProcess;

  beforeAll(async () => {
    lab = await Lab.start({ customResources: false });
    gantry = await GantryProcess.start({ kubeconfig: lab.kubeconfig, config: CONFIG });
  });
  afterAll(async () => {
    await gantry?.stop();
    await lab?.stop();
  });
  afterEach(() => lab.clear());

  const shared = (name: string): JsonObject => node(name, { labels: { 'karpenter.sh/nodepool': 'shared' } });
  const report = (name: string, utilization: number): Promise<void> =>
    lab.patch(`/api/v1/nodes/${name}`, {
      metadata: {
        annotations: {
          [GANTRY_ACCELERATOR_CAPACITY]: JSON.stringify({
            at: new Date().toISOString(),
            devices: Array.from({ length: DEVICES }, (_, index) => ({ index, utilization })),
          }),
        },
      },
    });
  const place = async (name: string): Promise<string | undefined> => (await lab.places())[name];

  it('keep pods away from a device that is too busy until it is not', async () => {
    await lab.createMany([shared('busy'), shared('idle')]);
    await lab.nodesReady(2);
    await Promise.all([report('busy', 0.95), report('idle', 0.05)]);
    await lab.create(pod('first', { gpus: DEVICES }), pod('second', { gpus: DEVICES }));
    await lab.until('one pod is on the idle node', async () => Object.values(await lab.places()).includes('idle'));
    const waiting = (await place('first')) === undefined ? 'first' : 'second';
    await lab.until('the other says which filter it waits for', async () =>
      JSON.stringify(await lab.list('/api/v1/namespaces/default/events')).includes('capacity filters'),
    );
    expect(await place(waiting)).toBeUndefined();
    await report('busy', 0.1);
    await lab.until('it starts', async () => (await place(waiting)) === 'busy');
  }, 120_000);

  it('of another pool do not apply, and a soft one makes the node the last choice', async () => {
    await lab.createMany([node('busy'), node('idle')]);
    await lab.nodesReady(2);
    await Promise.all([report('busy', 0.95), report('idle', 0.05)]);
    await lab.create(pod('first', { gpus: DEVICES }));
    await lab.until('it is on the idle node', async () => (await place('first')) === 'idle');
    await lab.create(pod('second', { gpus: DEVICES }));
    await lab.until('the next takes the busy one', async () => (await place('second')) === 'busy');
  }, 120_000);

  it('pass devices whose report is too old', async () => {
    await lab.createMany([shared('busy')]);
    await lab.nodesReady(1);
    await report('busy', 0.95);
    await lab.create(pod('first', { gpus: DEVICES }));
    await lab.until('it says what it waits for', async () =>
      JSON.stringify(await lab.list('/api/v1/namespaces/default/events')).includes('capacity filters'),
    );
    expect(await place('first')).toBeUndefined();
    await lab.until('the report is old', async () => (await place('first')) === 'busy', SECONDS * 4000);
  }, 120_000);
});
