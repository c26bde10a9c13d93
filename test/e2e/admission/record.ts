/**
 * `npm run record:admission -- [--seed S] [--worlds N] [--pods N]`: asks a live API server about pods in namespaces with quotas, limit ranges,
 * and pod security levels, and writes a sample of its answers into `test/fixtures/admission-verdicts.jsonl`, which the unit tests hold
 * Gantry to without a server.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { asObject } from '../../../src/manifests/read';
import { admissionViolations } from '../../../src/checks/server/admission/admit-pod';
import { contentsOf } from '../../../src/checks/server/admission/cluster-contents';
import { whyNoControlPlane } from '../control-plane/availability';
import { buildPrograms } from '../control-plane/build';
import { Cluster } from '../control-plane/cluster';
import { kubernetesMinor } from '../control-plane/components';
import { Discovery } from '../control-plane/discovery';
import { askAboutPods, type Asked } from './ask';
import { agree, asManifest, gantrySays } from './verdict';
import { CLASSES } from './worlds';

const FIXTURE = join(__dirname, '../../fixtures/admission-verdicts.jsonl');

/** Pods that are kept for each set of things that Gantry says. */
const OF_A_SORT = 1;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '20264' },
      worlds: { type: 'string', default: '120' },
      pods: { type: 'string', default: '80' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    throw new Error(`no control plane: ${reason}`);
  }
  const cluster = await Cluster.start({ programs: buildPrograms({ print: (line) => console.log(line) }) });
  try {
    const discovery = await Discovery.read(cluster.client);
    const amount = { worlds: Number(values.worlds), pods: Number(values.pods), seed: Number(values.seed) };
    const asked = await askAboutPods(cluster.client, discovery, amount);
    report(asked);
    if (!values['dry-run']) {
      write(asked);
    }
  } finally {
    await cluster.stop();
  }
}

const minor = kubernetesMinor();

function report(asked: readonly Asked[]): void {
  const counts = new Map<string, number>();
  let wrong = 0;
  for (const { world, pod, server, message } of asked) {
    counts.set(server, (counts.get(server) ?? 0) + 1);
    const gantry = gantrySays(pod, [...CLASSES, ...world.objects], world.name, minor);
    if (!agree(server, gantry)) {
      wrong += 1;
      if (wrong <= 6) {
        console.log(
          `server: ${server}: ${message}\ngantry: ${gantry.join()}\n${JSON.stringify(world.objects)}\n${JSON.stringify(pod)}\n`,
        );
      }
    }
  }
  console.log(
    `${asked.length} pods, ${wrong} disagreements: ${JSON.stringify(Object.fromEntries([...counts].sort()))}`,
  );
}

/** A few pods for each sort of answer, below the world that they are for. */
function write(asked: readonly Asked[]): void {
  const met = new Map<string, number>();
  const lines: string[] = [JSON.stringify({ classes: CLASSES })];
  let world = '';
  for (const one of asked) {
    const sort = sortOf(one);
    const times = met.get(sort) ?? 0;
    met.set(sort, times + 1);
    if (times >= OF_A_SORT) {
      continue;
    }
    if (one.world.name !== world) {
      world = one.world.name;
      lines.push(JSON.stringify({ namespace: world, objects: one.world.objects }));
    }
    const { metadata, spec } = one.pod;
    const { annotations } = asObject(metadata);
    lines.push(JSON.stringify({ server: one.server, annotations, spec }));
  }
  writeFileSync(FIXTURE, `${lines.join('\n')}\n`);
  console.log(`${lines.length} lines written`);
}

/** What the server says, and what Gantry says without the values. */
function sortOf({ world, pod, server }: Asked): string {
  const contents = contentsOf([...CLASSES, ...world.objects].map(asManifest), new Set(['', world.name]));
  const podLike = { metadata: asObject(pod.metadata), spec: asObject(pod.spec) };
  const said = [...admissionViolations(podLike, world.name, contents, minor)].map(
    ({ plugin, message }) =>
      `${plugin} ${message.replace(/\d+\S*/g, '#').replace(/ResourceQuota \S+|LimitRange \S+/g, '')}`,
  );
  // What is accepted tells most where something could have rejected it.
  return server === 'accepted' ? `${server} ${world.name}` : `${server}\n${said[0] ?? ''}`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
