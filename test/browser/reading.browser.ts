/**
 * What the page of a cluster says, and that everyone can get at it: words of the glossary, order of headings, tables on a phone, paper.
 */
import { type ClusterView, type ViewGang } from '../../src/planning/cluster/view/view';
import { renderPlanPage, renderTimelinePage } from '../../src/planning/pages';
import { readScenario, simulate } from '../../src/planning/simulation';
import { sampleView, SMALL } from '../support/sample-view';
import { everyVendor, fullCluster, manyQueues } from '../support/scenes';
import { CHROMIUM, colorsDrawn, Looker, LOOKS, until } from './browser';

const looker = new Looker();
afterAll(() => looker.close());

const suite = CHROMIUM === undefined ? describe.skip : describe;
const small = sampleView(SMALL);
const WIDE = LOOKS[0];
const PHONE = { width: 390, scheme: 'dark' } as const;

const SIMULATION = renderTimelinePage(
  simulate(
    readScenario(
      'name: two jobs\nnodes: [{name: node, count: 2, allocatable: {cpu: 96, memory: 1Ti, gpus: 8}}]\nqueues: [{name: q, deserved: {gpus: 8}}]\ngangs: [{name: a, queue: q, pods: 2, gpus: 8, duration: 1h}, {name: b, queue: q, pods: 2, gpus: 8, duration: 1h}]\n',
      'two.yaml',
      () => ({ text: '', file: '' }),
    ),
  ),
);

/** Kinds of reasons, and words of the code rather than of a user. */
const CODE_WORDS =
  /\b(no-fit|queue-capability|queue-guarantees|quota-of-non-preemptible|too-few-pods|unknown-queue|guaranteed|ceiling|waits?|let in|has to go|of late|node-selector)\b/i;

/** As `small`, with one gang pending for each kind of reason. */
function everyReason(): ClusterView {
  const gang = small.gangs.find(({ state }) => state === 'pending')!;
  const kinds = [
    'unknown-queue',
    'queue-closed',
    'queue-capability',
    'queue-guarantees',
    'quota-of-non-preemptible',
    'unknown-topology',
    'too-few-pods',
    'topology',
    'no-fit',
    'reserved',
    'outranked',
  ];
  const gangs = kinds.map((kind): ViewGang => ({
    ...gang,
    name: `ml/${kind.length}-${kinds.indexOf(kind)}`,
    pending: { ...gang.pending!, kind, message: 'No node is ready (0 of 80).' },
  }));
  return { ...small, gangs: [...gangs, ...small.gangs], nodes: small.nodes.map((node) => ({ ...node, pods: [] })) };
}

suite.each([
  ['a cluster with gangs in every state', small],
  ['a cluster with every reason for a pending gang', everyReason()],
  ['devices of every vendor', everyVendor()],
  ['a full cluster', fullCluster()],
  ['many queues', manyQueues()],
])('%s', (_, view) => {
  test('has no word that only the code knows', async () => {
    const { page } = await looker.open(renderPlanPage(view), WIDE);
    await page.evaluate(`document.querySelectorAll('summary').forEach((one) => one.click())`);
    const text = await page.evaluate<string>(
      `[document.body.innerText, ...[...document.querySelectorAll('[aria-label], [title]')].map((one) => (one.getAttribute('aria-label') ?? '') + ' ' + (one.getAttribute('title') ?? ''))].join('\\n')`,
    );
    expect(CODE_WORDS.exec(text)?.[0]).toBeUndefined();
    await page.context().close();
  });

  test('has headings in order, and tables and pictures with names', async () => {
    const { page } = await looker.open(renderPlanPage(view), WIDE);
    expect(await headings(page)).toEqual({ first: 1, jumps: 0 });
    expect(await unnamed(page)).toEqual([]);
    await page.context().close();
  });
});

type Page = Awaited<ReturnType<Looker['open']>>['page'];

function headings(page: Page): Promise<{ readonly first: number; readonly jumps: number }> {
  return page.evaluate(`(() => {
    const levels = [...document.querySelectorAll('h1, h2, h3, h4')].filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]));
    return { first: levels[0], jumps: levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1).length };
  })()`);
}

/** Tables without a name or without headers, and pictures without a name. */
function unnamed(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[
    ...[...document.querySelectorAll('table')].filter((one) => document.getElementById(one.getAttribute('aria-labelledby') ?? '') === null || one.querySelector('thead th[scope=col]') === null),
    ...[...document.querySelectorAll('[role=img], [role=application], [role=region]')].filter((one) => !one.hasAttribute('aria-label') && document.getElementById(one.getAttribute('aria-labelledby') ?? '') === null),
  ].map((one) => one.outerHTML.slice(0, 80))`);
}

suite('a full cluster', () => {
  test('says that nothing is free, and not where', async () => {
    const { page } = await looker.open(renderPlanPage(fullCluster()), WIDE);
    const facts = await page.locator('.facts > div').allTextContents();
    expect(facts).toContain('Devices in use100%576 of 576');
    expect(facts).toContain('Free whole devicesNone');
    expect(facts).toContain('Most free in one rackNoneevery device is in use or unavailable');
    expect(await page.locator('.legend').first().textContent()).not.toMatch(/free/);
    await page.context().close();
  });
});

suite('queues', () => {
  test('have the words of the glossary, each with a shape of its own', async () => {
    const { page } = await looker.open(renderPlanPage(manyQueues()), WIDE);
    const legend = page.locator('.legend.keys .key');
    expect(await legend.allTextContents()).toEqual(['in use', 'deserved', 'guarantee', 'capability']);
    const shapes = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.legend.keys .key > svg')].map((one) => [...one.querySelectorAll('rect, path')].map((shape) => { const box = shape.getBBox(); return [shape.tagName, Math.round(box.width), Math.round(box.height)].join(' '); }).join())`,
    );
    expect(new Set(shapes).size).toBe(4);
    expect(
      await page.getByRole('img', { name: '8 in use, deserved 12, guarantee 6, capability 24' }).count(),
    ).toBeGreaterThan(0);
    await page.context().close();
  });

  test('of one level have one scale, so that teams of a small share are seen beside large departments', async () => {
    const { page } = await looker.open(renderPlanPage(manyQueues()), WIDE);
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.bar[title*="-team-"] svg > rect[fill="var(--accent)"]')].map((one) => one.getBBox().width)`,
    );
    expect(widths.length).toBeGreaterThan(3);
    expect(Math.min(...widths)).toBeGreaterThan(40);
    await page.context().close();
  });
});

suite('on a phone', () => {
  test.each([
    ['the table of gangs', renderPlanPage(small), 'gangs-title'],
    ['the table of queues of a simulation', SIMULATION, 'queues-title'],
  ])('%s takes the focus and scrolls to its last column by keyboard', async (_, html, title) => {
    const { page } = await looker.open(html, PHONE);
    const region = page.locator(`.scroll[aria-labelledby=${title}]`);
    expect(await region.getAttribute('role')).toBe('region');
    await region.focus();
    expect(
      await page.evaluate<string[]>(
        `[document.activeElement.className, getComputedStyle(document.activeElement).outlineStyle]`,
      ),
    ).toEqual(['scroll', 'solid']);
    expect(await region.getAttribute('data-more-right')).toBe('');
    const last = region.locator('thead th').last();
    const hidden = async (): Promise<boolean> => {
      const box = (await last.boundingBox())!;
      return box.x + Math.min(box.width, 60) > PHONE.width;
    };
    expect(await hidden()).toBe(true);
    for (let i = 0; i < 40 && (await hidden()); i++) {
      await page.keyboard.press('ArrowRight');
      await new Promise((done) => setTimeout(done, 30));
    }
    expect(await hidden()).toBe(false);
    await page.context().close();
  });

  test('what does not scroll is no stop of the Tab key', async () => {
    const { page } = await looker.open(renderPlanPage(small), WIDE);
    expect(await page.locator('.scroll[tabindex]').count()).toBe(0);
    await page.context().close();
  });
});

suite('on paper', () => {
  test('a page that is dark on the screen is light, and its picture is as wide as the paper', async () => {
    const { page } = await looker.open(renderPlanPage(small), { width: 1280, scheme: 'dark' });
    const inks = (): Promise<string[]> =>
      page.evaluate<string[]>(
        `(() => { const style = getComputedStyle(document.documentElement); return ['--ink', '--bg', '--free-line'].map((name) => style.getPropertyValue(name).trim()); })()`,
      );
    const dark = await inks();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(`window.dispatchEvent(new Event('beforeprint'))`);
    expect(await inks()).toEqual(['#15181d', '#ffffff', '#868f9d']);
    expect(await colorsDrawn(page)).toBeGreaterThan(8);
    await page.setViewportSize({ width: 700, height: 900 });
    await until(() =>
      page.evaluate<boolean>(`document.querySelector('.pane canvas').getBoundingClientRect().width <= 700`),
    );
    expect(
      await page.evaluate<boolean>(
        `[...document.querySelectorAll('.scroll')].every((one) => getComputedStyle(one).overflowX === 'visible')`,
      ),
    ).toBe(true);
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await page.evaluate(`window.dispatchEvent(new Event('afterprint'))`);
    expect(await inks()).toEqual(dark);
    await page.context().close();
  });
});
