/**
 * Takes the pictures of docs/images from the pages themselves: the reference platform planned on the sample cluster, and a simulation.
 *
 * The pictures are under version control. Fonts differ between machines, so that no test compares them; take them again when a page
 * changes its look.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'cdk8s';
import { referencePlatform } from '../../examples/reference-platform/main';
import { synthesize } from '../../src/checks/synth/synthesize';
import { planOf, sampleCluster } from '../../src/planning/cluster';
import { renderPlanPage, renderTimelinePage } from '../../src/planning/pages';
import { readScenario, simulate } from '../../src/planning/simulation';
import { CHROMIUM, Looker } from '../../test/browser/browser';

const ROOT = join(__dirname, '..', '..');
const LOOK = { width: 1200, scheme: 'light' } as const;

function planPage(): string {
  const { manifests } = synthesize(referencePlatform(new App()));
  return renderPlanPage(planOf(manifests, sampleCluster()).view);
}

function simulationPage(): string {
  const file = 'elastic.yaml';
  const text = readFileSync(join(ROOT, 'examples', 'scenarios', file), 'utf8');
  return renderTimelinePage(
    simulate(
      readScenario(text, file, () => {
        throw new Error(`${file} must not include another file`);
      }),
    ),
  );
}

/** The top of a page, down to the end of a card. */
async function take(looker: Looker, html: string, image: string, lastCard: string): Promise<void> {
  const { page } = await looker.open(html, LOOK);
  const card = (await page.locator(lastCard).boundingBox())!;
  await page.screenshot({
    path: join(ROOT, 'docs', 'images', image),
    fullPage: true,
    clip: { x: 0, y: 0, width: LOOK.width, height: Math.ceil(card.y + card.height + 16) },
  });
  await page.context().close();
}

async function main(): Promise<void> {
  if (CHROMIUM === undefined) {
    throw new Error('no Chromium on this machine: install it, or set CHROMIUM to its path');
  }
  const looker = new Looker();
  try {
    await take(looker, planPage(), 'plan.png', 'section[aria-labelledby=fleet-title]');
    await take(looker, simulationPage(), 'simulation.png', 'section[aria-labelledby=gangs-title]');
  } finally {
    await looker.close();
  }
}

void main();
