/**
 * What the cluster is used for is counted as it changes. The oracle counts again each time, by the definition: the most frequent kinds until they cover 95 % of
 * all pods.
 */
import * as fc from 'fast-check';
import { type PodClass } from '../../src/placement/nodes/pod-class';
import { cpuOf, magnitude, shapeOf, WorkloadKinds, workloadOf } from '../../src/placement/search/score/workload';
import { CPU_COLUMN } from '../../src/placement/nodes/node-table';
import { samples } from '../support/samples';

const CPUS = [0, 100, 150, 1000, 1000, 1400, 8000];

/** Classes of which some are one kind: they differ in what is not counted. */
const CLASSES = CPUS.flatMap((cpu, i) =>
  [0, 1, 2, 8].map(
    (devices, j): PodClass =>
      ({
        id: i * 4 + j,
        columns: Int32Array.from(cpu === 0 ? [] : [CPU_COLUMN]),
        amounts: Float64Array.from(cpu === 0 ? [] : [cpu]),
        accelerator: devices === 0 ? undefined : { kind: 'whole', count: devices },
        deviceCount: devices,
        models: i % 3 === 0 && devices > 0 ? new Set([j, i]) : undefined,
      }) as unknown as PodClass,
  ),
);

function keyOf(podClass: PodClass): string {
  const { devices, milli } = shapeOf(podClass);
  return [cpuOf(podClass), devices, milli, ...[...(podClass.models ?? [])].sort((a, b) => a - b)].join();
}

function counted(counts: ReadonlyMap<PodClass, number>): readonly (readonly [string, number])[] {
  const kinds = new Map<string, number>();
  let total = 0;
  for (const [podClass, count] of counts) {
    kinds.set(keyOf(podClass), (kinds.get(keyOf(podClass)) ?? 0) + count);
    total += count;
  }
  const sorted = [...kinds].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const typical: (readonly [string, number])[] = [];
  for (let covered = 0, i = 0; i < sorted.length && covered < 0.95 * total; covered += sorted[i][1], i++) {
    typical.push(sorted[i]);
  }
  return typical;
}

const change = fc.record({ at: fc.nat(CLASSES.length - 1), count: fc.nat(12) });

test('is what a new count finds, after every change', () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 30 }), (steps) => {
      const kinds = new WorkloadKinds();
      const counts = new Map<PodClass, number>();
      for (const step of steps) {
        for (const { at, count } of step) {
          if (count === 0) {
            counts.delete(CLASSES[at]);
          } else {
            counts.set(CLASSES[at], count);
          }
        }
        kinds.take(counts);
        const { typical, cpuPerMilli, shares } = kinds.workload;
        const expected = counted(counts);
        const covered = expected.reduce((sum, [, count]) => sum + count, 0);
        const models = (one: (typeof typical)[number]): readonly number[] =>
          [...(one.models ?? [])].sort((a, b) => a - b);
        expect(typical.map((one) => [[one.cpu, one.devices, one.milli, ...models(one)].join(), one.part])).toEqual(
          expected.map(([key, count]) => [key, count / covered]),
        );
        const all = [...counts];
        const sum = (of: (podClass: PodClass) => number): number =>
          all.reduce((total, [podClass, count]) => total + count * of(podClass), 0);
        const milli = sum((podClass) => shapeOf(podClass).devices * shapeOf(podClass).milli);
        expect(cpuPerMilli).toBe(milli === 0 ? 0 : sum(cpuOf) / milli);
        expect(shares).toEqual(workloadOf(counts).shares);
        for (const asked of CLASSES) {
          const size = magnitude(cpuOf(asked));
          const alike = all.filter(
            ([podClass]) =>
              magnitude(cpuOf(podClass)) === size &&
              JSON.stringify(podClass.accelerator) === JSON.stringify(asked.accelerator),
          );
          const pods = alike.reduce((total, [, count]) => total + count, 0);
          const cpu = alike.reduce((total, [podClass, count]) => total + count * cpuOf(podClass), 0);
          expect(kinds.meanCpu(asked, size)).toBe(pods === 0 ? undefined : cpu / pods);
        }
      }
    }),
    { numRuns: samples(400), seed: 19 },
  );
});
