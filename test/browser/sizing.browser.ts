/**
 * The page of a sizing, looked at in a browser.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderSizingPage } from '../../src/planning/pages';
import { readSizing, size, timelineOf } from '../../src/planning/sizing';
import { NO_SOURCES } from '../planning/sizing/support';
import { CHROMIUM, expectDrawn, Looker, LOOKS } from './browser';

/** The page of the first example of the documentation. */
function page(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'docs', 'size.md'), 'utf8');
  const example = /```yaml\n([^]*?)```/.exec(text)![1];
  const sizing = readSizing(example.replace('replications: 4', 'replications: 2'), 'training.yaml', NO_SOURCES);
  const result = size(sizing);
  const { best } = result;
  if (best === undefined) {
    throw new Error('no mix keeps the targets of the example');
  }
  return renderSizingPage({ ...result, best }, timelineOf(sizing, best));
}

const looker = new Looker();
afterAll(() => looker.close());

if (CHROMIUM === undefined) {
  console.log('No Chromium on this machine (set CHROMIUM to name one): the pages are not looked at.');
}
const suite = CHROMIUM === undefined ? describe.skip : describe;

suite('the page of a sizing', () => {
  let html: string;
  beforeAll(() => {
    html = page();
  });

  test.each(LOOKS)(
    'at $width px, $scheme: drawn, no complaint, nothing beside the screen, every text stands out',
    (look) => expectDrawn(looker, html, look),
  );

  test('shows the cheapest mix, the target with its wait, and each gang over time', async () => {
    const { page: opened, complaints } = await looker.open(html, LOOKS[0]);
    const text = await opened.locator('body').innerText();
    expect(text).toMatch(/Cheapest mix: \d+ h100, \d+ h100-spot, [\d.,]+ USD per hour, \d+ % idle/);
    expect(text).toContain('The timeline is the first of 2 replications.');
    expect(text).toMatch(/p95 wait at most 15m/);
    await opened.locator('.pane').nth(1).focus();
    await opened.keyboard.press('Home');
    expect(await opened.locator('[aria-live]').nth(1).textContent()).toMatch(/queue (research|production)/);
    expect(complaints).toEqual([]);
    await opened.context().close();
  });
});
