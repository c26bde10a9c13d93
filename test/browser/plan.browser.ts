/**
 * The page of a plan, looked at in a browser: readable on any screen and at any size of cluster, light and dark, by keyboard, on paper.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ClusterView } from '../../src/planning/cluster/view/view';
import { renderLivePage, renderPlanPage } from '../../src/planning/pages';
import { LARGE, sampleView, SMALL } from '../support/sample-view';
import { everyVendor, fullCluster, manyQueues } from '../support/scenes';
import {
  CHROMIUM,
  colorsDrawn,
  faintColors,
  faintControls,
  faintTexts,
  Looker,
  LOOKS,
  overflow,
  squeezed,
  until,
} from './browser';

const WIDE = { width: 1280, scheme: 'light' } as const;
const NARROW = { width: 390, scheme: 'dark' } as const;
const small = sampleView(SMALL);
const large = sampleView(LARGE);

const looker = new Looker();
afterAll(() => looker.close());

if (CHROMIUM === undefined) {
  console.log('No Chromium on this machine (set CHROMIUM to name one): the pages are not looked at.');
}
const suite = CHROMIUM === undefined ? describe.skip : describe;

/** Every seventeenth node has a problem; remediation marked every other one of them. */
function unhealthy(view: ClusterView): ClusterView {
  const problems = [{ condition: 'AcceleratorsMissing', message: '7 of 8 nvidia.com/gpu are allocatable' }];
  const marked = { marks: ['taint'], why: ['rule accelerators-missing: condition AcceleratorsMissing is True; taint'] };
  const nodes = view.nodes.map((node, i) =>
    i % 17 === 3 ? { ...node, health: { problems, ...(i % 2 === 1 && marked) } } : node,
  );
  return { ...view, nodes };
}

suite.each([
  ['nodes with a problem', unhealthy(small)],
  ['80 nodes', small],
  ['5,000 nodes', large],
  ['devices of every vendor', everyVendor()],
  ['a full cluster', fullCluster()],
  ['52 queues', manyQueues()],
])('%s', (_, view) => {
  const html = renderPlanPage(view);

  test.each(LOOKS)(
    'at $width px, $scheme: drawn, no complaint, nothing beside the screen, every text stands out',
    async (look) => {
      const { page, complaints } = await looker.open(html, look);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await colorsDrawn(page)).toBeGreaterThan(8);
      expect(await squeezed(page)).toEqual([]);
      expect(await faintTexts(page)).toEqual([]);
      expect(await faintColors(page)).toEqual([]);
      expect(await faintControls(page)).toEqual([]);
      expect(await page.evaluate<number>('document.getAnimations().length')).toBe(0);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  test('on paper the picture is whole and what only a screen has is gone', async () => {
    const { page, complaints } = await looker.open(html, WIDE);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('searchbox').isVisible()).toBe(false);
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(20_000);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

suite('by keyboard', () => {
  test('the arrow keys go from node to node and read out what is there; Enter picks the gang; Escape lets it go', async () => {
    const { page, complaints } = await looker.open(renderPlanPage(small), WIDE);
    await page.locator('.pane').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('[aria-live]').first().textContent()).toContain('h100-001-02');
    expect(await page.locator('.tip').isVisible()).toBe(true);
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('[aria-live]').first().textContent()).toContain('h100-002-02');
    await page.keyboard.press('Enter');
    const gang = small.gangs[small.nodes[9].pods[0].gang!].name;
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(await page.getByRole('button', { name: gang, pressed: true }).count()).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(20);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test.each([WIDE, NARROW])(
    'at $width px every control is reached by tab, has a name, and shows that it has the focus',
    async (look) => {
      const { page } = await looker.open(renderPlanPage(manyQueues()), look);
      const controls = await page
        .locator('button:visible, input:visible, select:visible, summary:visible, [tabindex="0"]')
        .count();
      const seen = new Set<string>();
      for (let i = 0; i < controls; i++) {
        await page.keyboard.press('Tab');
        const [name, outline] = await page.evaluate<[string, string]>(`[
        document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent, getComputedStyle(document.activeElement).outlineStyle]`);
        expect(name.trim()).not.toBe('');
        expect(outline).toBe('solid');
        seen.add(`${name} ${i}`);
      }
      expect(seen.size).toBe(controls);
      await page.context().close();
    },
  );

  test('a slash begins a search; what is not found is dimmed and leaves the lists', async () => {
    const { page } = await looker.open(renderPlanPage(small), WIDE);
    const before = await colorsDrawn(page);
    await page.keyboard.press('/');
    await page.keyboard.type('vision/pretrain-1');
    expect(await page.getByRole('status').first().textContent()).toBe(`1 of ${small.gangs.length} gangs`);
    expect(await page.locator('.pending > li').count()).toBe(1);
    // It is drawn at the next frame, which on a busy machine is one for several keys.
    await until(async () => (await colorsDrawn(page)) < before);
    await page.context().close();
  });
});

suite('by pointer', () => {
  test('a device tells its node and who is on it, and a click picks the gang', async () => {
    const { page } = await looker.open(renderPlanPage(small), WIDE);
    const box = (await page.locator('.pane').boundingBox())!;
    await page.mouse.move(box.x + 14, box.y + 78);
    expect(await page.locator('.tip').textContent()).toContain('h100-001-02');
    await page.mouse.click(box.x + 14, box.y + 78);
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.context().close();
  });

  test('zoomed in, a large cluster scrolls within its card', async () => {
    const { page } = await looker.open(renderPlanPage(large), WIDE);
    for (let i = 0; i < 6; i++) {
      await page.getByRole('button', { name: 'Larger' }).click();
    }
    const [inside, outside] = await page.evaluate<[number, number]>(
      `(() => { const pane = document.querySelector('.pane'); return [pane.scrollHeight, pane.clientHeight]; })()`,
    );
    expect(inside).toBeGreaterThan(3 * outside);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Fit' }).click();
    expect(await page.evaluate<boolean>(`document.querySelector('.pane').classList.contains('scrolls')`)).toBe(false);
    await page.context().close();
  });
});

suite('names of foreign origin', () => {
  test('are text and nothing else', async () => {
    const name = '</script><img src=x onerror="document.title=1"><b>&amp;';
    const gangs = small.gangs.map((gang, index) =>
      index === 0 || gang.state === 'pending' ? { ...gang, name: `${name}${index}` } : gang,
    );
    const { page, complaints } = await looker.open(renderPlanPage({ ...small, cluster: name, gangs }), WIDE);
    expect(await page.locator('img, b:not(.changes b):not(.value b):not(.brand b)').count()).toBe(0);
    expect(await page.title()).toBe(`Plan of ${name}`);
    expect(await page.locator('.pending').textContent()).toContain(name);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

suite('live', () => {
  let server: Server;
  const clients: ServerResponse[] = [];
  const send = (view: ClusterView): void =>
    clients.forEach((client) => client.write(`data: ${JSON.stringify(view)}\n\n`));
  beforeAll((done) => {
    server = createServer((request, response) => {
      if (request.url === '/events') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        clients.push(response);
        send(small);
      } else {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(renderLivePage({ title: 'test cluster' }));
      }
    }).listen(0, '127.0.0.1', done);
  });
  afterAll(() => {
    clients.forEach((client) => client.end());
    server.close();
  });

  test('a new view is shown in place: what was looked for, and the focus, stay', async () => {
    const { page, complaints } = await looker.visit(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      WIDE,
    );
    await page.keyboard.press('/');
    await page.keyboard.type('pretrain');
    const [first] = small.gangs.filter(({ state }) => state === 'pending');
    await page.locator('.pending').getByRole('button', { name: first.name }).focus();
    send({ ...small, cluster: 'a later moment' });
    await page.locator('.lead', { hasText: /^a later moment/ }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('pretrain');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(first.name);
    expect(await page.locator('#live').textContent()).toContain('live');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

suite('node health', () => {
  test('the table says what is wrong and what was done, and a node is found by its name', async () => {
    const { page, complaints } = await looker.open(renderPlanPage(unhealthy(small)), WIDE);
    const card = page.getByRole('region', { name: 'Node health' }).first();
    const first = card.locator('tbody tr').first();
    const name = (await first.locator('button').textContent()) ?? '';
    expect(await first.locator('td').allTextContents()).toEqual([
      'AcceleratorsMissing: 7 of 8 nvidia.com/gpu are allocatable',
      'taint',
      'rule accelerators-missing: condition AcceleratorsMissing is True; taint',
    ]);
    await first.locator('button').click();
    expect(await page.getByRole('searchbox').inputValue()).toBe(name);
    expect(await page.getByRole('status').first().textContent()).toContain('1 node');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
