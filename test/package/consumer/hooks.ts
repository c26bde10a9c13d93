/**
 * What the hooks into synth promise, with whichever cdk8s is installed: one check and one rendering per synth, warnings printed once,
 * errors before any file is written, and no trace of it on the constructs afterwards.
 */
import { strict as assert } from 'node:assert';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart, JsonPatch, Lazy } from 'cdk8s';
import { Checks, Namespace } from 'cdk8s-gantry';
import { defineRule } from 'cdk8s-gantry/checks';

/** Throws an AssertionError for a promise that is not kept. */
export function assertHooks(): void {
  const outdir = mkdtempSync(join(tmpdir(), 'gantry-hooks-'));
  try {
    const app = new App({ outdir });
    const charts = ['a', 'b', 'c'].map((name) => new Chart(app, name));
    new Namespace(charts[0], 'research');
    let rendered = 0;
    const data = { turn: Lazy.any({ produce: () => String(++rendered) }) as unknown };
    const map = new ApiObject(charts[1], 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data });
    let checked = 0;
    const rule = defineRule({
      on: 'set',
      id: 'acme/counts',
      severity: 'warning',
      summary: 'Counts.',
      fix: 'Nothing to do.',
      check: ({ set }) => {
        checked++;
        return [{ manifest: set.manifests[0], message: 'seen' }];
      },
    });
    Checks.of(app).addRules(rule);

    const printed = captured(() => {
      app.synth();
      assert.deepEqual({ checked, rendered }, { checked: 1, rendered: 1 });
      assert.ok(!Object.hasOwn(map, 'toJson'));
      for (const chart of charts) {
        chart.toJson();
      }
      app.synthYaml();
    });
    assert.equal(printed.split('[acme/counts]').length - 1, 1);
    assert.match(readFileSync(join(outdir, 'b.k8s.yaml'), 'utf8'), /turn: "1"/);

    map.addJsonPatch(JsonPatch.add('/datum', {}));
    rmSync(outdir, { recursive: true });
    assert.throws(() => app.synth(), /\[b\/map\][\s\S]*unknown field/);
    assert.ok(!existsSync(join(outdir, 'b.k8s.yaml')));
    assert.ok(!Object.hasOwn(map, 'toJson'));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** What an action writes to standard error. */
function captured(action: () => void): string {
  const write = process.stderr.write.bind(process.stderr);
  let text = '';
  process.stderr.write = (chunk: string | Uint8Array): boolean => {
    text += chunk.toString();
    return true;
  };
  try {
    action();
  } finally {
    process.stderr.write = write;
  }
  return text;
}
