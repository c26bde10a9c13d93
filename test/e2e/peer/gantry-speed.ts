/**
 * How many documents per second Gantry checks in one process, from file to findings.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { verdictOn } from '../agreement/gantry-verdict';
import { type Speed } from './kubeconform';

/** A first pass that reads every schema, one more for the engine to warm up, and two that count as warm. */
export function measureGantry(folder: string, kubernetes: KubernetesMinor): Speed {
  const files = readdirSync(folder).map((file) => join(folder, file));
  const first = pass(files, kubernetes);
  pass(files, kubernetes);
  const warm = [pass(files, kubernetes), pass(files, kubernetes)];
  const perSecond = (key: 'clock' | 'cpu'): number => (2 * files.length) / (warm[0][key] + warm[1][key]);
  return { cold: files.length / first.clock, warm: perSecond('clock'), warmPerCpuSecond: perSecond('cpu') };
}

function pass(files: readonly string[], kubernetes: KubernetesMinor): { readonly clock: number; readonly cpu: number } {
  const started = performance.now();
  const cpu = process.cpuUsage();
  for (const file of files) {
    const { manifests, problems } = parseYaml(readFileSync(file, 'utf8'), file);
    verdictOn(new ManifestSet(manifests, problems), kubernetes);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { clock: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
}
