/**
 * What a gang merely prefers never holds it back, held against a brute force over all assignments of pods to nodes.
 *
 * One gang with soft spread, preferred affinity to nodes and pods, and taints that only prefer; on empty nodes, with whole devices.
 */
import * as fc from 'fast-check';
import { type ClusterNode, decide, type PodTemplate, type Role } from '../../src/placement';
import { cluster, gang, node, template } from './builders';
import { mixedWorlds, possible } from './mixed-gangs';

const own = { labels: [{ key: 'app', operator: 'In' as const, values: ['server'] }] };
const HOST = 'kubernetes.io/hostname';

/** Each of them alone makes some placements better than others, and none impossible. */
const WISHES: readonly Partial<PodTemplate>[] = [
  {},
  { topologySpread: [{ topologyKey: HOST, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', selector: own }] },
  { topologySpread: [{ topologyKey: 'rack', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', selector: own }] },
  { preferredPodAntiAffinity: [{ weight: 100, term: { topologyKey: HOST, selector: own } }] },
  { preferredPodAffinity: [{ weight: 50, term: { topologyKey: 'rack', selector: own } }] },
  { preferredNodeTerms: [{ weight: 10, term: { labels: [{ key: 'rack', operator: 'In', values: ['r1'] }] } }] },
];

const softWorlds = fc.record({
  world: mixedWorlds,
  wishes: fc.array(fc.constantFrom(...WISHES), { minLength: 3, maxLength: 3 }),
  softTaint: fc.boolean(),
  single: fc.boolean(),
});

/** @throws Error on a gang that fits and was not placed, or the other way round */
export function checkSoftConstraints(runs: number, seed: number): void {
  fc.assert(
    fc.property(softWorlds, ({ world, wishes, softTaint, single }) => {
      const roles = single ? world.roles.slice(0, 1) : world.roles;
      const machines = world.nodes.map(({ cpu, devices }, i): ClusterNode => {
        const made = node(`n${i}`, devices, { labels: { rack: `r${i % 2}` } });
        const taints = softTaint && i === 0 ? [{ key: 'old', effect: 'PreferNoSchedule' as const }] : [];
        return { ...made, taints, allocatable: { ...made.allocatable, cpu: cpu * 1000 } };
      });
      const soft = gang('soft', 1, template(1), {
        roles: roles.map(({ cpu, devices, count }, i): Role => {
          const plain = template(devices, { ...wishes[i], labels: { app: 'server' } });
          return { name: `r${i}`, count, template: { ...plain, request: { ...plain.request, cpu: cpu * 1000 } } };
        }),
      });
      const pods = roles.reduce((sum, { count }) => sum + count, 0);
      const placed = decide(cluster(machines, [soft])).bindings.length === pods;
      return placed === possible({ nodes: world.nodes, roles });
    }),
    { numRuns: runs, seed },
  );
}
