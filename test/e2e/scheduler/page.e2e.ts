/**
 * The page of a scheduler that runs, looked at in a browser while the cluster changes.
 */
import { type Page } from 'playwright-core';
import { CHROMIUM, colorsDrawn, faintTexts, Looker, LOOKS, overflow } from '../../browser/browser';
import { describeLive } from '../live-cluster';
import { GantryProcess } from './gantry-process';
import { Lab } from './lab';
import { gang, node, pod, priorityClass } from './manifests';

const CONFIG = `
queues:
  - { name: research, weight: 2, deserved: { nvidia.com/gpu: 64 } }
  - { name: product, weight: 1, deserved: { nvidia.com/gpu: 32 } }
topologies: [{ name: racks, levels: [example.com/rack, kubernetes.io/hostname] }]
`;
const WIDE = { width: 1280, scheme: 'light' } as const;
const LEASE_SECONDS = 5;

if (CHROMIUM === undefined) {
  console.log('No Chromium on this machine (set CHROMIUM to name one): the live page is not looked at.');
}
(CHROMIUM === undefined ? describe.skip : describeLive)('the live page', () => {
  const looker = new Looker();
  let lab: Lab;
  const running: GantryProcess[] = [];

  beforeAll(async () => {
    lab = await Lab.start();
    await lab.create(priorityClass('high', 1000), priorityClass('low', 1));
  });
  beforeEach(async () => {
    const names = Array.from({ length: 16 }, (_, i) => `n-${String(i).padStart(2, '0')}`);
    await lab.createMany(
      names.map((name, i) => node(name, { labels: { 'example.com/rack': `r-${Math.floor(i / 4)}` } })),
    );
    await lab.nodesReady(16);
  });
  afterEach(async () => {
    for (const gantry of running.splice(0)) {
      await gantry.stop();
    }
    await lab.clear();
  });
  afterAll(async () => {
    await looker.close();
    await lab.stop();
  });

  async function start(identity: string, leaseSeconds?: number): Promise<GantryProcess> {
    const gantry = await GantryProcess.start({
      kubeconfig: lab.kubeconfig,
      config: CONFIG,
      identity,
      leaseSeconds,
      flags: ['--cluster-name', 'lab'],
    });
    running.push(gantry);
    return gantry;
  }

  /** Many gangs that run, two that wait. */
  async function fill(): Promise<void> {
    const inOneRack = { 'gantry.dev/topology-required': 'example.com/rack' };
    await lab.create(
      ...gang('llama', 4, { gpus: 8, queue: 'research', annotations: inOneRack }),
      ...gang('bert', 6, { gpus: 4, queue: 'research', priorityClass: 'low' }),
      ...gang('ranker', 3, { gpus: 8, queue: 'product' }),
      ...gang('sweep', 7, { gpus: 1, queue: 'product', minimum: 2 }),
      pod('notebook', { gpus: 2, queue: 'product' }),
    );
    await lab.until('they run', async () => Object.keys(await lab.places()).length === 21);
    await lab.create(
      ...gang('giant', 12, { gpus: 8, queue: 'research' }),
      ...gang('rack-and-half', 6, { gpus: 8, queue: 'product', annotations: inOneRack }),
    );
  }

  const text = (page: Page): Promise<string> => page.locator('#view').innerText();
  const gangs = (page: Page): Promise<string> => page.locator('section[aria-labelledby="gangs-title"]').innerText();

  it('shows the cluster as it is, on every screen, without a complaint', async () => {
    const gantry = await start('only');
    await fill();
    await lab.until('two wait', async () => (await gantry.json<readonly unknown[]>('/gantry/v1/pending')).length === 2);
    for (const look of LOOKS) {
      const { page, complaints } = await looker.visit(`${gantry.address}/`, look);
      await page.getByText('giant').first().waitFor();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await colorsDrawn(page)).toBeGreaterThan(6);
      expect(await faintTexts(page)).toEqual([]);
      expect(await page.locator('#live').textContent()).toContain('live');
      const shown = await text(page);
      expect(shown).toContain('16 nodes');
      expect(shown).toContain('4 pods of default/llama placed on 4 nodes');
      expect(await page.locator('ul.pending').innerText()).toMatch(
        /giant[\s\S]*rack-and-half|rack-and-half[\s\S]*giant/,
      );
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });

  it('follows what happens: a gang that is bound, one that goes, without a reload and without losing what the reader looked for', async () => {
    const gantry = await start('only');
    await lab.create(pod('first', { gpus: 1 }));
    await lab.until('it runs', async () => Object.keys(await lab.places()).length === 1);
    const { page, complaints } = await looker.visit(`${gantry.address}/`, WIDE);
    await page.evaluate('window.sameDocument = true');
    await page.getByRole('searchbox').fill('late');
    await lab.create(...gang('latecomer', 3, { gpus: 8, queue: 'research' }));
    await page.getByText('3 pods of default/latecomer placed on 3 nodes').waitFor();
    await lab.until('the page lists it', async () => (await gangs(page)).includes('latecomer'));
    for (const index of [0, 1, 2]) {
      await lab.delete(`/api/v1/namespaces/default/pods/latecomer-${index}`);
    }
    await lab.until('the page lists it no more', async () => !(await gangs(page)).includes('latecomer'));
    expect(await page.getByRole('searchbox').inputValue()).toBe('late');
    expect(await page.evaluate<boolean>('window.sameDocument')).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('of a replica that is on standby names who decides, and becomes the picture once it leads', async () => {
    const first = await start('first-replica_0a', LEASE_SECONDS);
    await first.until('leading: pods and nodes listed again');
    const second = await start('second-replica_0b', LEASE_SECONDS);
    await lab.until('the second knows who leads', () => second.isReady());
    const reader = (
      await fetch(`${second.address}/gantry/v1/stream`)
    ).body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    let told = '';
    // An event may come in parts, and ends with an empty line.
    while (!told.includes('\n\n')) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      told += Buffer.from(value ?? []).toString();
    }
    await reader.cancel();
    expect(told).toContain(
      'first-replica_0a decides: look at its page (kubectl -n kube-system port-forward pod/first-replica',
    );
    // It is visited once a picture is drawn, which it is when the first is gone.
    const visit = looker.visit(`${second.address}/`, WIDE);
    await first.stop();
    const { page, complaints } = await visit;
    expect(await page.locator('#live').textContent()).toContain('live');
    expect(await page.locator('.notice').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
