/**
 * One measurement in a process of its own: `check-run.ts KIND OBJECTS`. Prints JSON.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as OnSynth from '../src/checks/synth/on-synth';
import type * as Constructs from '../src/manifests/constructs';
import type * as Sets from '../src/manifests/manifest-set';
import type * as Yaml from '../src/manifests/yaml';
import type * as Rules from '../src/interfaces/checks';
import { compiled } from './compiled';
import { platform } from './platform';

const { checkOnSynth } = compiled('./checks/synth/on-synth') as typeof OnSynth;
const { manifestsOf } = compiled('./manifests/constructs') as typeof Constructs;
const { ManifestSet } = compiled('./manifests/manifest-set') as typeof Sets;
const { parseYaml } = compiled('./manifests/yaml') as typeof Yaml;
const { check } = compiled('./interfaces/checks') as typeof Rules;

export type Kind = 'synth' | 'synth with checks' | 'checks alone' | 'checks from YAML';

export interface Measurement {
  readonly seconds: number;
  /** Time on processors, all threads; what another program takes on a busy machine is not in it. */
  readonly cpuSeconds: number;
  /** Peak resident memory of the process, MiB. */
  readonly peakMiB: number;
  readonly findings: number;
}

const [kind, objects] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
try {
  const measurement: Measurement = {
    ...measure(kind as Kind, Number(objects)),
    peakMiB: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(`${JSON.stringify(measurement)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

type Timed = Omit<Measurement, 'peakMiB'>;

function measure(what: Kind, count: number): Timed {
  const app = platform(count, folder);
  switch (what) {
    case 'synth':
      return timed(() => (app.synth(), 0));
    case 'synth with checks':
      checkOnSynth(app);
      return timed(() => (app.synth(), 0));
    case 'checks alone': {
      const { manifests } = manifestsOf(app);
      return timed(() => check(new ManifestSet(manifests)).findings.length);
    }
    case 'checks from YAML': {
      app.synth();
      return timed(() => {
        const parsed = readdirSync(folder).map((file) => parseYaml(readFileSync(join(folder, file), 'utf8'), file));
        const manifests = parsed.flatMap((file) => file.manifests);
        const problems = parsed.flatMap((file) => file.problems);
        return check(new ManifestSet(manifests, problems)).findings.length;
      });
    }
  }
}

function timed(work: () => number): Timed {
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  const findings = work();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuSeconds: (user + system) / 1e6, findings };
}
