/**
 * The picture of the cluster, pixel by pixel: free and used devices of every kind and at every size are seen, in both color schemes.
 */
import { type ClusterView, type ViewNode } from '../../src/planning/cluster/view/view';
import { renderPlanPage } from '../../src/planning/pages';
import { fit, layOut, scaleOf } from '../../src/planning/pages/client/fleet-layout';
import { LARGE, sampleView, SMALL } from '../support/sample-view';
import { everyVendor } from '../support/scenes';
import { type Area, CHROMIUM, drawnIn, Looker, LOOKS, pictureWidth } from './browser';

const looker = new Looker();
afterAll(() => looker.close());

const suite = CHROMIUM === undefined ? describe.skip : describe;

/** Where the page draws each node. */
function areasOf(view: ClusterView, width: number): readonly Area[] {
  return layOut(view, width, scaleOf(fit(view, width, 900))).at;
}

const isOn = ({ ready, cordoned }: ViewNode): boolean => ready !== false && cordoned !== true;

/** Indices of nodes, evenly drawn from all that match. */
function some(view: ClusterView, matches: (node: ViewNode) => boolean): readonly number[] {
  const all = view.nodes.flatMap((node, index) => (matches(node) ? [index] : []));
  const step = Math.max(1, Math.floor(all.length / 40));
  return all.filter((_, i) => i % step === 0);
}

suite.each([
  ['80 nodes', sampleView(SMALL)],
  ['5,000 nodes', sampleView(LARGE)],
  ['devices of every vendor', everyVendor()],
])('%s', (_, view) => {
  const html = renderPlanPage(view);
  const free = some(view, (node) => node.devices.length > 0 && node.pods.length === 0 && isOn(node));
  const full = some(
    view,
    (node) =>
      isOn(node) &&
      node.devices.length > 0 &&
      node.pods.every(({ state, share }) => (state === undefined || state === 'planned') && share === undefined) &&
      new Set(node.pods.flatMap(({ devices }) => devices)).size === node.devices.length,
  );

  test.each(LOOKS)('at $width px, $scheme: free nodes are seen, and used devices are solid', async (look) => {
    const { page } = await looker.open(html, look);
    const areas = areasOf(view, await pictureWidth(page));
    expect(free.length).toBeGreaterThan(3);
    expect(full.length).toBeGreaterThan(0);
    const onFree = await drawnIn(
      page,
      free.map((node) => areas[node]),
    );
    const onFull = await drawnIn(
      page,
      full.map((node) => areas[node]),
    );
    expect(onFree.filter(({ contrast }) => contrast < 3)).toEqual([]);
    // Told apart by shape: outlines and lines are free, blocks are in use.
    expect(Math.max(...onFree.map(({ covered }) => covered))).toBeLessThan(0.7);
    expect(Math.min(...onFull.map(({ covered }) => covered))).toBeGreaterThan(0.75);
    expect(Math.min(...full.map((node) => areas[node].height))).toBeGreaterThanOrEqual(3);
    await page.context().close();
  });
});

suite('devices of every vendor', () => {
  const view = everyVendor();

  test('every kind of device is drawn, and its node says what it is and who is on it', async () => {
    const { page } = await looker.open(renderPlanPage(view), LOOKS[0]);
    const areas = areasOf(view, await pictureWidth(page));
    const box = (await page.locator('.pane').boundingBox())!;
    const cards: string[] = [];
    for (const pool of view.pools.keys()) {
      const node = view.nodes.findIndex((one) => one.pool === pool);
      await page.mouse.move(box.x + areas[node].x + 3, box.y + areas[node].y + 3);
      cards.push((await page.locator('.tip').textContent()) ?? '');
    }
    const card = (name: string): string | undefined => cards.find((text) => text.startsWith(name));
    expect(card('h100-1')).toContain('8 of 8 H100-SXM-80GB in use');
    expect(card('h100-mig-1')).toContain('H100-SXM-80GB (MIG 2 × 1g.10gb, 1 × 3g.40gb) in use');
    expect(card('l40s-shared-1')).toContain('L40S (4 replicas each) in use');
    expect(card('mi300x-1')).toContain('8 of 8 MI300X in use');
    expect(card('mi300x-cpx-1')).toContain('40 of 64 MI300X partitions (CPX/NPS4) in use');
    expect(card('mi300x-mixed-1')).toContain('5 of 16 MI300X partitions (DPX/NPS1) in use');
    expect(card('gaudi3-1')).toMatch(/Intel Gaudi accelerator x 8.*8 of 8 devices in use/);
    expect(card('ascend-1')).toContain('8 of 8 Ascend-910B3 in use');
    expect(card('trn2-1')).toContain('12 of 16 Trainium2 in use');
    expect(card('tpu-v5e-1')).toContain('4 of 4 TPU-v5e in use');
    await page.context().close();
  });

  test('every gang says what it holds, in cores where it does not request whole devices', async () => {
    const { page } = await looker.open(renderPlanPage(view), LOOKS[0]);
    const cells = await page.evaluate<[string, string][]>(
      `[...document.querySelectorAll('tbody tr')].map((row) => [row.querySelector('th').textContent, row.querySelectorAll('td')[3].textContent])`,
    );
    expect(cells.filter(([, devices]) => devices === '')).toEqual([]);
    expect(Object.fromEntries(cells)).toMatchObject({
      'team/trn2-12': '12',
      'team/trn2-13': '12 Neuron cores',
      'team/general-15': '0',
    });
    await page.context().close();
  });

  test('the queues can be compared by any resource that they use', async () => {
    const { page } = await looker.open(renderPlanPage(view), LOOKS[0]);
    const choice = page.getByRole('combobox', { name: 'Resource that the queues are compared by' });
    expect(await choice.locator('option').allTextContents()).toEqual(
      expect.arrayContaining(['amd.com/gpu', 'habana.ai/gaudi', 'google.com/tpu', 'huawei.com/Ascend910', 'cpu']),
    );
    const before = await page.locator('.bars .value').first().textContent();
    await choice.focus();
    await choice.selectOption('google.com/tpu');
    expect(await page.locator('.bars .value').first().textContent()).toBe('8');
    expect(before).not.toBe('8');
    expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('SELECT');
    await page.context().close();
  });
});
