import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type Manifest } from '../../../src/manifests/manifest';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { idOf } from '../../../src/manifests/identity';
import { Accelerator, type Amounts } from '../../../src/constructs/pods';
import { Team, type TeamProps } from '../../../src/constructs/tenancy';
import { countedInsteadOf, podAmountOf, requestsKey } from '../../../src/checks/server/admission/quota-keys';
import { tenancyRules } from '../../../src/constructs/tenancy/rules';
import { Testing } from '../../../src/interfaces/testing';
import { samples } from '../../support/samples';

const SEED = { seed: 20261120 };

const share: fc.Arbitrary<Amounts> = fc.record(
  {
    accelerators: fc
      .uniqueArray(fc.constantFrom('nvidia.com/gpu', 'nvidia.com/mig-1g.10gb', 'amd.com/gpu'))
      .chain((names) =>
        fc.tuple(...names.map((resource) => fc.nat(4096).map((count) => Accelerator.of({ resource, count })))),
      ),
    cpu: fc.oneof(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 9999 }).map((milli) => `${milli}m`),
    ),
    memory: fc.integer({ min: 1, max: 900_000 }).map((amount) => `${amount}Gi`),
    other: fc.dictionary(
      fc.constantFrom('rdma/hca' as const, 'nvidia.com/mlx5_rdma' as const),
      fc.integer({ min: 0, max: 512 }),
    ),
  },
  { requiredKeys: [] },
);

const team: fc.Arbitrary<TeamProps> = fc.record({
  quota: fc
    .tuple(
      share,
      fc.record(
        {
          cpuLimit: fc.integer({ min: 8, max: 100_000 }),
          memoryLimit: fc.integer({ min: 16, max: 900_000 }).map((amount) => `${amount}Gi`),
          pods: fc.integer({ min: 1, max: 10_000 }),
          storage: fc.integer({ min: 1, max: 1000 }).map((amount) => `${amount}Ti`),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([resources, more]) => ({ ...resources, ...more })),
  members: fc.array(
    fc.record({ kind: fc.constantFrom('User' as const, 'Group' as const), name: fc.constantFrom('ada', 'ml') }),
    { maxLength: 2 },
  ),
});

test('whatever a team is given, no check finds fault with it', () => {
  fc.assert(
    fc.property(team, (props) => {
      const chart = new Chart(new App(), 'test');
      new Team(chart, 'research', props);
      const { findings, notChecked } = Testing.check(chart);
      expect(findings).toEqual([]);
      expect(notChecked).toEqual([]);
    }),
    { ...SEED, numRuns: samples(100) },
  );
});

test('what a team may ask for is what its queue may hold, whatever it is', () => {
  fc.assert(
    fc.property(share, (quota) => {
      const chart = new Chart(new App(), 'test');
      new Team(chart, 'research', { quota });
      const objects = Testing.synth(chart);
      const spec = (kind: string): JsonObject => objects.find((object) => object.kind === kind)?.spec as JsonObject;
      const asRequests = Object.fromEntries(
        Object.entries((spec('Queue').capability ?? {}) as JsonObject).map(([name, amount]) => [
          requestsKey(name),
          amount,
        ]),
      );
      expect(asRequests).toEqual(spec('ResourceQuota')?.hard ?? {});
    }),
    { ...SEED, numRuns: samples(100) },
  );
});

test('every key that is made of a resource name is counted, and counts that resource', () => {
  const name = fc.constantFrom(
    'cpu',
    'memory',
    'ephemeral-storage',
    'hugepages-2Mi',
    'nvidia.com/gpu',
    'nvidia.com/mig-1g.10gb.me',
    'rdma/hca',
    'a.b.c/d-e_f',
  );
  fc.assert(
    fc.property(name, (resource) => {
      const key = requestsKey(resource);
      expect(countedInsteadOf(key)).toBeUndefined();
      expect(podAmountOf(key)).toEqual({ of: 'requests', resource });
    }),
    SEED,
  );
});

test('the rules survive any JSON', () => {
  const kinds = [
    ['v1', 'ResourceQuota'],
    ['v1', 'LimitRange'],
    ['v1', 'Namespace'],
    ['v1', 'Pod'],
    ['scheduling.k8s.io/v1', 'PriorityClass'],
    ['scheduling.volcano.sh/v1beta1', 'Queue'],
    ['batch.volcano.sh/v1alpha1', 'Job'],
  ] as const;
  const key = fc.constantFrom(
    'spec',
    'hard',
    'limits',
    'type',
    'max',
    'default',
    'containers',
    'initContainers',
    'resources',
    'requests',
    'tasks',
    'template',
    'replicas',
    'cpu',
    'memory',
    'nvidia.com/gpu',
    'limits.nvidia.com/gpu',
    'value',
    'globalDefault',
    'capability',
    'deserved',
    'queue',
    'scopes',
    'annotations',
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom(null, true, false, 0, -1, 1.5, '', '1', '8', '500G', '64m', 'Container', 'Pod'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(key, tie('json'), { maxKeys: 5 }),
    ),
  }));
  const object = fc
    .tuple(fc.constantFrom(...kinds), fc.constantFrom('a', 'b', ''), fc.dictionary(key, json, { maxKeys: 4 }))
    .map(([[apiVersion, kind], name, body]) => ({ ...body, apiVersion, kind, metadata: { name, namespace: 'n' } }));
  fc.assert(
    fc.property(fc.array(object, { maxLength: 6 }), (objects) => {
      const set = new ManifestSet(objects.map((one): Manifest => ({ id: idOf(one), object: one, origin: {} })));
      const context = { set, kubernetes: '1.35' as const };
      for (const rule of tenancyRules) {
        if (rule.on === 'set') {
          expect([...rule.check(context)]).toBeDefined();
        } else if (rule.on === 'object') {
          for (const manifest of set.manifests) {
            expect([...rule.check(manifest, context)]).toBeDefined();
          }
        } else {
          for (const template of set.podTemplates) {
            expect([...rule.check(template, context)]).toBeDefined();
          }
        }
      }
    }),
    { ...SEED, numRuns: samples(500) },
  );
});
