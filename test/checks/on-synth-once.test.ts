import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart } from 'cdk8s';
import { Checks } from '../../src/checks/checks-of';
import { checkOnSynth } from '../../src/checks/on-synth';
import { type SetRule } from '../../src/checks/rule';

let outdir: string;
beforeEach(() => (outdir = mkdtempSync(join(tmpdir(), 'gantry-test-'))));
afterEach(() => rmSync(outdir, { recursive: true }));

/** An app of three charts, and how often its checks ran. */
function counted(violate = false): { readonly app: App; readonly times: () => number } {
  const app = new App({ outdir });
  for (const name of ['a', 'b', 'c']) {
    new ApiObject(new Chart(app, name), 'map', { apiVersion: 'v1', kind: 'ConfigMap' });
  }
  let times = 0;
  const rule: SetRule = {
    on: 'set',
    id: 'test/counts',
    tier: 'advice',
    severity: 'error',
    summary: 's',
    why: 'w',
    source: 's',
    fix: 'f',
    check: ({ set }) => {
      times++;
      return violate ? [{ manifest: set.manifests[0], message: 'no' }] : [];
    },
  };
  Checks.of(app).addRules(rule);
  checkOnSynth(app);
  checkOnSynth(app);
  return { app, times: () => times };
}

test('a synth checks the app once, however many charts it has, and the next synth checks it again', () => {
  const { app, times } = counted();
  app.synth();
  expect(times()).toBe(1);
  app.synthYaml();
  expect(times()).toBe(2);
});

test('a synth that failed does not keep the next one from being checked', () => {
  const { app, times } = counted(true);
  expect(() => app.synth()).toThrow('no');
  expect(() => app.synth()).toThrow('no');
  expect(times()).toBe(2);
});
