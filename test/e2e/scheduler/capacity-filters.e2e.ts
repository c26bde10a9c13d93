/**
 * Capacity filters of the policy, with reports as the node agent writes them into the Node.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { GANTRY_ACCELERATOR_CAPACITY } from '../../../src/facts/catalog';
import { asObject, asString } from '../../../src/manifests/read';
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
  afterEach(async () => {
    await silent();
    await lab.clear();
  });

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
  /** Reports as a node agent does, again and again, so that a report of a busy machine is not too old. */
  const reports = new Map<string, number>();
  let reporting: Promise<void> | undefined;
  const reportFromNowOn = async (utilizations: Readonly<Record<string, number>>): Promise<void> => {
    Object.entries(utilizations).forEach(([name, utilization]) => reports.set(name, utilization));
    await reportAll();
    reporting ??= (async () => {
      for (; reports.size > 0; await sleep(1000)) {
        await reportAll();
      }
    })();
  };
  const reportAll = async (): Promise<void> => {
    await Promise.all([...reports].map(([name, utilization]) => report(name, utilization)));
  };
  /** Reports no more. */
  const silent = async (): Promise<void> => {
    reports.clear();
    await reporting;
    reporting = undefined;
  };
  const saysWhichFilter = (name: string): Promise<void> =>
    lab.until(`${name} says which filter it waits for`, async () =>
      (await lab.list('/apis/events.k8s.io/v1/namespaces/default/events')).some(
        ({ regarding, note }) =>
          asObject(regarding).name === name && asString(note)?.includes('capacity filters') === true,
      ),
    );
  const place = async (name: string): Promise<string | undefined> => (await lab.places())[name];

  it('keep pods away from a device that is too busy until it is not', async () => {
    await lab.createMany([shared('busy'), shared('idle')]);
    await lab.nodesReady(2);
    await reportFromNowOn({ busy: 0.95, idle: 0.05 });
    await lab.create(pod('one', { gpus: DEVICES }), pod('other', { gpus: DEVICES }));
    await lab.until('one pod is on the idle node', async () => Object.values(await lab.places()).includes('idle'));
    const waiting = (await place('one')) === undefined ? 'one' : 'other';
    await saysWhichFilter(waiting);
    expect(await place(waiting)).toBeUndefined();
    await reportFromNowOn({ busy: 0.1 });
    await lab.until('it starts', async () => (await place(waiting)) === 'busy');
  });

  it('of another pool do not apply, and a soft one makes the node the last choice', async () => {
    await lab.createMany([node('busy'), node('idle')]);
    await lab.nodesReady(2);
    await reportFromNowOn({ busy: 0.95, idle: 0.05 });
    await lab.create(pod('first', { gpus: DEVICES }));
    await lab.until('it is on the idle node', async () => (await place('first')) === 'idle');
    await lab.create(pod('second', { gpus: DEVICES }));
    await lab.until('the next takes the busy one', async () => (await place('second')) === 'busy');
  });

  it('pass devices whose report is too old', async () => {
    await lab.createMany([shared('busy')]);
    await lab.nodesReady(1);
    await reportFromNowOn({ busy: 0.95 });
    await lab.create(pod('late', { gpus: DEVICES }));
    await saysWhichFilter('late');
    expect(await place('late')).toBeUndefined();
    await silent();
    await lab.until('the report is old', async () => (await place('late')) === 'busy');
  });
});
