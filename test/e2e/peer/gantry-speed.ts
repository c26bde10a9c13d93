/**
 * How many documents per second Gantry checks in one process, from file to findings.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubernetesMinor } from '../../../src/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { check } from '../../../src/rules';
import { type Speed } from './kubeconform';

/** A first pass that reads every schema, and a second one. */
export function measureGantry(folder: string, kubernetes: KubernetesMinor): Speed {
  const files = readdirSync(folder).map((file) => join(folder, file));
  const first = pass(files, kubernetes);
  const second = pass(files, kubernetes);
  return { cold: files.length / first, warm: files.length / second };
}

function pass(files: readonly string[], kubernetes: KubernetesMinor): number {
  const started = performance.now();
  for (const file of files) {
    const { manifests, problems } = parseYaml(readFileSync(file, 'utf8'), file);
    check(new ManifestSet(manifests, problems), { kubernetes, tiers: ['schema', 'cel', 'server'] });
  }
  return (performance.now() - started) / 1000;
}
