/**
 * The page of a simulation, looked at in a browser.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderTimelinePage } from '../../src/planning/pages';
import { readScenario, simulate } from '../../src/planning/simulation';
import { CHROMIUM, expectDrawn, Looker, LOOKS } from './browser';

function page(name: string): string {
  const file = join(__dirname, '..', '..', 'examples', 'scenarios', name);
  return renderTimelinePage(simulate(readScenario(readFileSync(file, 'utf8'), name, () => ({ text: '', file: '' }))));
}

const looker = new Looker();
afterAll(() => looker.close());

if (CHROMIUM === undefined) {
  console.log('No Chromium on this machine (set CHROMIUM to name one): the pages are not looked at.');
}
const suite = CHROMIUM === undefined ? describe.skip : describe;

suite.each(['elastic.yaml', 'busy-day.yaml', 'link-failure.yaml', 'all-nodes-unhealthy.yaml'])('%s', (name) => {
  const html = page(name);

  test.each(LOOKS)(
    'at $width px, $scheme: drawn, no complaint, nothing beside the screen, every text stands out',
    (look) => expectDrawn(looker, html, look),
  );
});

suite('by keyboard', () => {
  test('the arrow keys go from gang to gang and from change to change, and read out what is there', async () => {
    const { page: opened, complaints } = await looker.open(page('elastic.yaml'), LOOKS[0]);
    const spoken = opened.locator('[aria-live]');
    await opened.locator('.pane').nth(1).focus();
    await opened.keyboard.press('Home');
    expect(await spoken.nth(1).textContent()).toMatch(/^pretrainingqueue research, 8 pods, 64 devices/);
    await opened.keyboard.press('ArrowDown');
    expect(await spoken.nth(1).textContent()).toContain('evaluation-1');
    await opened.locator('.pane').nth(0).focus();
    await opened.keyboard.press('Home');
    expect(await spoken.nth(0).textContent()).toContain('64 of 64 devices in use');
    expect(complaints).toEqual([]);
    await opened.context().close();
  });

  test('node health is read out node by node, and is in tables', async () => {
    const { page: opened, complaints } = await looker.open(page('all-nodes-unhealthy.yaml'), LOOKS[1]);
    await opened.locator('.pane').nth(2).focus();
    await opened.keyboard.press('Home');
    const spoken = opened.locator('[aria-live]').nth(2);
    expect(await spoken.textContent()).toBe('rack-1-01AcceleratorUnhealthy, 1h to 1h 30mtaint, 1h 1m to 1h 40m');
    await opened.keyboard.press('ArrowDown');
    expect(await spoken.textContent()).toContain(
      'rack-1-02AcceleratorUnhealthy, 1h to 1h 30mnot done: rule accelerator-unhealthy',
    );
    const rows = opened.getByRole('table', { name: 'Node health' }).locator('tbody tr');
    expect(await rows.count()).toBe(2);
    expect(await rows.nth(1).textContent()).toContain('rack-1-02 and 37 more nodes');
    expect(await opened.getByRole('table', { name: 'Budget' }).locator('tbody tr').nth(1).textContent()).toBe(
      'Rack r12011' + '39m',
    );
    expect(complaints).toEqual([]);
    await opened.context().close();
  });

  test('a gang that is looked for stands out', async () => {
    const { page: opened } = await looker.open(page('elastic.yaml'), LOOKS[0]);
    await opened.keyboard.press('/');
    await opened.keyboard.type('evaluation-3');
    expect(await opened.getByRole('status').first().textContent()).toBe('1 of 7 gangs');
    await opened.context().close();
  });
});
