import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart, JsonPatch } from 'cdk8s';
import { Checks } from '../../../src/checks/synth/checks-of';
import { defineRule } from '../../../src/checks/rules/define-rule';
import { checkOnSynth } from '../../../src/checks/synth/on-synth';
import { type SetRule } from '../../../src/checks/rules/rule';
import { asObject } from '../../../src/manifests/read';

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

describe('what is printed', () => {
  let stderr: jest.SpyInstance;
  beforeEach(() => (stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)));
  afterEach(() => stderr.mockRestore());
  const printed = (): number => stderr.mock.calls.flat().join('').split('[test/warns]').length - 1;

  function warned(): { readonly app: App; readonly charts: readonly Chart[]; readonly map: ApiObject } {
    const app = new App({ outdir });
    const charts = ['a', 'b', 'c'].map((name) => new Chart(app, name));
    const [map] = charts.map((chart) => new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap' }));
    Checks.of(app).addRules(
      defineRule({
        on: 'object',
        id: 'test/warns',
        kinds: ['ConfigMap'],
        severity: 'warning',
        summary: 's',
        fix: 'f',
        check: ({ object }) =>
          asObject(asObject(object.metadata).labels).fine === undefined ? [{ message: 'no' }] : [],
      }),
    );
    checkOnSynth(app);
    return { app, charts, map };
  }

  test('a synth prints each warning once', () => {
    warned().app.synth();
    expect(printed()).toBe(3);
  });

  test('toJson of each chart, and the synth after it, print them once', () => {
    const { app, charts } = warned();
    for (const chart of charts) {
      chart.toJson();
    }
    app.synth();
    app.synthYaml();
    expect(printed()).toBe(3);
  });

  test('a warning that went away is printed if it comes back', () => {
    const { app, map } = warned();
    app.synth();
    map.metadata.addLabel('fine', 'yes');
    app.synth();
    expect(printed()).toBe(3);
    map.addJsonPatch(JsonPatch.remove('/metadata/labels'));
    app.synth();
    expect(printed()).toBe(4);
  });
});
