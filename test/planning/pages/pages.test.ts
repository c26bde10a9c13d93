/**
 * Pages as texts: what they carry, that they need nothing else, and that their code is the bundle of what is in the sources.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ASSETS } from '../../../projen/pages/bundle';
import { type ClusterView } from '../../../src/planning/cluster/view/view';
import { renderLivePage, renderPlanPage } from '../../../src/planning/pages';
import { sampleView, SMALL } from '../../support/sample-view';

const view = sampleView(SMALL);
const html = renderPlanPage(view);

test.each(ASSETS)('$path is what its sources are bundled to (else: npm run generate:pages)', ({ path, text }) => {
  expect(readFileSync(path, 'utf8')).toBe(text());
});

test('a page holds everything, and its policy lets nothing else take effect', () => {
  const [policy] = /Content-Security-Policy" content="([^"]+)"/.exec(html)!.slice(1);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('connect-src');
  expect(html).not.toMatch(/(src|href)="(?!data:)/);
  const digest = (text: string): string => createHash('sha256').update(text).digest('base64');
  expect(policy).toContain(`script-src 'sha256-${digest(/<script>([\s\S]*)<\/script>/.exec(html)![1])}'`);
  expect(policy).toContain(`style-src 'sha256-${digest(/<style>([\s\S]*?)<\/style>/.exec(html)![1])}'`);
});

test('a page carries its view as it is, and equal views give equal pages', () => {
  const text = /<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(html)![1];
  expect(JSON.parse(text) as ClusterView).toEqual(JSON.parse(JSON.stringify(view)));
  expect(renderPlanPage(sampleView(SMALL))).toBe(html);
});

test('what is said where there is no JavaScript is the verdict', () => {
  expect(html).toContain('<noscript>sample cluster: 18 gangs start now, 14 are running, 5 are pending.');
});

test('a live page carries nothing, and may ask its own server only', () => {
  const live = renderLivePage({ title: 'prod <1>', events: '/watch?a=1&b="2"' });
  expect(live).toContain("connect-src 'self'");
  expect(live).toContain('data-events="/watch?a=1&amp;b=&quot;2&quot;"');
  expect(live).not.toContain('application/json');
  expect(live).toContain('<title>prod &lt;1&gt;</title>');
});
