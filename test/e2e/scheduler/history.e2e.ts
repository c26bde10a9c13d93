/**
 * From a cluster to its size: gangs run, the scheduler records them, `gantry history` lists them, and `gantry size` sizes from the list.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asString } from '../../../src/manifests/read';
import { gantryIn } from '../gantry-command';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { apply, kubeconfigFor, schedulerObjects, tokenOf } from './install';
import { Lab } from './lab';
import { gang, node } from './manifests';

const NAMESPACE = 'gantry-system';
const NAME = 'gantry-scheduler';
const CONFIG = `
queues: [{ name: research, deserved: { nvidia.com/gpu: 16 } }]
history: { configMaps: 2, intervalSeconds: 1 }
`;
/** How long the third gang waits at least: far longer than the target below, because the list has times in whole seconds. */
const WAIT_MS = 5_000;
/** More nodes of the pool that the cluster has. */
const SIZING = `
pools: [{ name: gpu, max: 4, pricePerHour: 40 }]
queues: [{ name: research }]
jobs: history.jsonl
targets: [{ wait: 1s }]
`;

describeLive('the history of the scheduler', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-history-'));
  const running: GantryProcess[] = [];
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start();
    await lab.create(...['n-0', 'n-1'].map((name) => node(name, { labels: { 'node-pool': 'gpu' } })));
    await lab.nodesReady(2);
    await apply(lab, schedulerObjects({ history: { configMaps: 2 } }));
  });
  afterAll(async () => {
    await Promise.all(running.map((gantry) => gantry.stop()));
    await lab.stop();
    rmSync(folder, { recursive: true });
  });

  const gantry = (...words: readonly string[]): ReturnType<typeof gantryIn> =>
    gantryIn(folder, lab.kubeconfig, ...words);

  async function start(): Promise<GantryProcess> {
    const started = await GantryProcess.start({
      kubeconfig: kubeconfigFor(lab, await tokenOf(lab, NAMESPACE, NAME)),
      config: CONFIG,
      leaseSeconds: 5,
      flags: ['--lease-namespace', NAMESPACE, '--lease-name', NAME],
    });
    running.push(started);
    return started;
  }

  const remove = async (name: string, pods: number): Promise<void> => {
    for (let index = 0; index < pods; index++) {
      await lab.delete(`/api/v1/namespaces/default/pods/${name}-${index}`);
    }
  };
  const listed = (): readonly JsonObject[] =>
    gantry('history')
      .out.split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonObject);
  const placed = (count: number): Promise<void> =>
    lab.until(`${count} pods have a node`, async () => Object.keys(await lab.places()).length === count);

  it('is fetched from the cluster and sizes it, also after the leader was killed', async () => {
    const first = await start();
    // Two gangs share the nodes, and the third waits until one of them ends.
    await lab.create(...gang('a', 2, { gpus: 4, queue: 'research' }), ...gang('b', 2, { gpus: 4, queue: 'research' }));
    await placed(4);
    await lab.create(...gang('c', 1, { gpus: 8, queue: 'research' }));
    const arrived = Date.now();
    await lab.until('the arrival of all is written', async () =>
      Promise.resolve(gantry('history').err.includes('2 running gangs and 1 waiting gang')),
    );
    await lab.until('c has waited', async () => Promise.resolve(Date.now() - arrived > WAIT_MS));
    await remove('a', 2);
    await placed(3);
    await lab.until('the end of a is written', async () => Promise.resolve(listed().length === 1));
    await first.stop('SIGKILL');
    await start();
    await lab.create(...gang('d', 1, { gpus: 0, queue: 'research' }));
    await lab.until('the next replica continues', async () =>
      Promise.resolve(gantry('history').err.includes('3 running gangs')),
    );
    await remove('b', 2);
    await remove('c', 1);
    await lab.until('the end of b and c is written', async () => Promise.resolve(listed().length === 3));

    expect(listed()).toMatchObject([
      { name: 'default/a', queue: 'research', pods: 2, devices: 4, cpu: 1, memory: '1Gi', evictions: 0 },
      { name: 'default/b', queue: 'research', pods: 2, devices: 4 },
      { name: 'default/c', queue: 'research', pods: 1, devices: 8 },
    ]);
    // It started after a had ended and before b did; times are in whole seconds.
    const [a, b, c] = listed();
    const seconds = (time: JsonObject[string]): number => Date.parse(asString(time)!) / 1000;
    expect(seconds(c.started)).toBeGreaterThanOrEqual(seconds(a.ended) - 1);
    expect(seconds(c.started)).toBeLessThanOrEqual(seconds(b.ended));

    gantry('history', '-o', 'history.jsonl');
    writeFileSync(join(folder, 'sizing.yaml'), SIZING);
    const [{ best }] = JSON.parse(gantry('size', 'sizing.yaml', '--cluster', 'live', '--format', 'json').out) as [
      { readonly best: { readonly pools: readonly { readonly nodes: number }[] } },
    ];
    // The cluster has two such nodes; with three of them none of the gangs waits.
    expect(best.pools.map(({ nodes }) => nodes)).toEqual([3]);
    expect(readFileSync(join(folder, 'history.jsonl'), 'utf8').split('\n')).toHaveLength(4);
  });
});
