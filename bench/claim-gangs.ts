/**
 * `npx tsx bench/claim-gangs.ts`: a gang of 512 pods with two requests each on 1,000 nodes with 8 devices, in CPU time. In the same run, a gang with
 * plain devices on the same nodes, with and without claims in the snapshot: gangs without claims do not depend on them.
 *
 * Options: `--pairs N` (default 15).
 */
import { parseArgs } from 'node:util';
import { decide, type PodTemplate, type Snapshot } from '../src/placement';
import { alternative, device, slicesOf } from '../test/placement/claims/gangs';

const { values } = parseArgs({ options: { pairs: { type: 'string' } } });
const pairs = Number(values.pairs ?? 15);
const names = Array.from({ length: 1000 }, (_, index) => `n${index}`);
const request = (name: string) => ({ name, alternatives: [alternative()] });

function world(template: PodTemplate, hasClaims: boolean): Snapshot {
  return {
    now: 0,
    nodes: names.map((name) => ({ name, allocatable: { cpu: 64_000, pods: 100, 'nvidia.com/gpu': 8 } })),
    queues: [{ name: 'q' }],
    gangs: [{ name: 'g', queue: 'q', roles: [{ name: 'r', count: 512, template }] }],
    pods: [],
    ...(hasClaims && {
      deviceClaims: {
        slices: names.flatMap((node) =>
          slicesOf(
            node,
            Array.from({ length: 8 }, (_, index) => device(`gpu-${index}`)),
          ),
        ),
        claims: new Map([
          [
            'c',
            {
              title: 'c',
              shared: false,
              claim: { name: 'c', requests: [request('a'), request('b')], constraints: [] },
            },
          ],
        ]),
      },
    }),
  };
}

function cpuMs(snapshot: Snapshot): number {
  const from = process.cpuUsage();
  const { bindings } = decide(snapshot);
  const { user, system } = process.cpuUsage(from);
  if (bindings.length !== 512) {
    throw new Error(`${bindings.length} of 512 pods are bound`);
  }
  return (user + system) / 1000;
}

const plain = { request: { cpu: 1000, 'nvidia.com/gpu': 2 } };
const claimed = { request: { cpu: 1000 }, claims: ['c'] };
const times = { claims: [] as number[], plainWithout: [] as number[], plainWith: [] as number[] };
for (let pair = 0; pair < pairs; pair++) {
  times.claims.push(cpuMs(world(claimed, true)));
  times.plainWithout.push(cpuMs(world(plain, false)));
  times.plainWith.push(cpuMs(world(plain, true)));
}
for (const [name, all] of Object.entries(times)) {
  const sorted = [...all].sort((a, b) => a - b);
  const [least = 0] = sorted;
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  process.stdout.write(
    `${JSON.stringify({ name, pairs, leastMs: Math.round(least), medianMs: Math.round(median), firstMs: Math.round(all[0] ?? 0) })}\n`,
  );
}
