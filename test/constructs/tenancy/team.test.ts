import { App, Chart } from 'cdk8s';
import { Group, ServiceAccount } from 'cdk8s-plus-28';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Accelerator } from '../../../src/constructs/pods';
import { Namespace, Team, type TeamProps } from '../../../src/constructs/tenancy';
import { Testing } from '../../../src/interfaces/testing';

function team(props: Partial<TeamProps> = {}): { readonly team: Team; readonly objects: () => readonly JsonObject[] } {
  const chart = new Chart(new App(), 'test', { namespace: 'elsewhere' });
  const made = new Team(chart, 'research', {
    quota: { accelerators: Accelerator.nvidia({ count: 64 }), cpu: 768, memory: '8Ti' },
    ...props,
  });
  return { team: made, objects: () => Testing.synth(chart) };
}

const kind = (objects: readonly JsonObject[], name: string): JsonObject | undefined =>
  objects.find((object) => object.kind === name);

describe('a team', () => {
  test('is its namespace, quota, defaults and queue, in the order in which a cluster takes them', () => {
    const { objects } = team();
    expect(objects().map((object) => object.kind)).toEqual(['Namespace', 'ResourceQuota', 'LimitRange', 'Queue']);
  });

  test('states one amount once: quota and queue follow from it', () => {
    const objects = team({
      quota: {
        accelerators: Accelerator.nvidia({ count: 64 }),
        cpu: 768,
        memory: '8Ti',
        other: { 'nvidia.com/mlx5_rdma': 64 },
      },
    }).objects();
    expect(kind(objects, 'ResourceQuota')).toMatchObject({
      metadata: { name: 'research-quota', namespace: 'research' },
      spec: {
        hard: {
          'requests.nvidia.com/gpu': '64',
          'requests.cpu': '768',
          'requests.memory': '8Ti',
          'requests.nvidia.com/mlx5_rdma': '64',
        },
      },
    });
    const share = { 'nvidia.com/gpu': '64', cpu: '768', memory: '8Ti', 'nvidia.com/mlx5_rdma': '64' };
    expect(kind(objects, 'Queue')).toMatchObject({
      metadata: { name: 'research' },
      spec: { capability: share, deserved: share },
    });
  });

  test('gives its cluster-scoped objects no namespace, and the others its own', () => {
    const namespaces = team()
      .objects()
      .map((object) => (object.metadata as JsonObject).namespace);
    expect(namespaces).toEqual([undefined, 'research', 'research', undefined]);
  });

  test('has defaults only for what its quota makes mandatory', () => {
    const limits = (quota: TeamProps['quota']): unknown =>
      (kind(team({ quota }).objects(), 'LimitRange')?.spec as JsonObject | undefined)?.limits;
    expect(limits({ accelerators: Accelerator.nvidia({ count: 8 }) })).toBeUndefined();
    expect(limits({ accelerators: Accelerator.nvidia({ count: 8 }), memory: '1Ti' })).toEqual([
      { type: 'Container', defaultRequest: { cpu: '1', memory: '2Gi' } },
    ]);
    expect(limits({ accelerators: Accelerator.nvidia({ count: 8 }), memoryLimit: '1Ti' })).toEqual([
      { type: 'Container', defaultRequest: { cpu: '1', memory: '2Gi' }, default: { memory: '8Gi' } },
    ]);
    expect(limits({ accelerators: Accelerator.nvidia({ count: 8 }), hard: { 'limits.cpu': 100 } })).toEqual([
      { type: 'Container', defaultRequest: { cpu: '1', memory: '2Gi' }, default: { cpu: '4' } },
    ]);
  });

  test('takes a share apart from its quota, with a parent and a guarantee', () => {
    const objects = team({
      queue: {
        parent: { engine: 'volcano', name: 'ai' },
        weight: 4,
        deserved: { accelerators: Accelerator.nvidia({ count: 32 }) },
        guarantee: { accelerators: Accelerator.nvidia({ count: 8 }) },
        reclaimable: false,
      },
    }).objects();
    expect(kind(objects, 'Queue')).toMatchObject({
      spec: {
        parent: 'ai',
        weight: 4,
        reclaimable: false,
        capability: { 'nvidia.com/gpu': '64' },
        deserved: { 'nvidia.com/gpu': '32' },
        guarantee: { resource: { 'nvidia.com/gpu': '8' } },
      },
    });
  });

  test('may work in a namespace and a queue that there are, or without a queue', () => {
    const there = team({ namespace: Namespace.fromName('old'), queue: { engine: 'volcano', name: 'shared' } });
    expect(there.team.queue.name).toBe('shared');
    expect(there.objects().map((object) => object.kind)).toEqual(['ResourceQuota', 'LimitRange']);
    const without = team({ queue: false });
    expect(without.team.teamQueue).toBeUndefined();
    expect(() => without.team.queue).toThrow(/has no queue, because it was created with queue: false/);
  });

  test('holds accelerators of several vendors and kinds at once', () => {
    const accelerators = [
      Accelerator.nvidia({ count: 64, product: 'H100-SXM-80GB' }),
      Accelerator.amd({ count: 16 }),
      Accelerator.mig({ profile: '1g.10gb', count: 14 }),
    ];
    const objects = team({ quota: { accelerators } }).objects();
    const amounts = { 'nvidia.com/gpu': '64', 'amd.com/gpu': '16', 'nvidia.com/mig-1g.10gb': '14' };
    expect(kind(objects, 'ResourceQuota')?.spec).toEqual({
      hard: Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [`requests.${name}`, amount])),
    });
    expect(kind(objects, 'Queue')).toMatchObject({ spec: { capability: amounts, deserved: amounts } });
    for (const made of ['ResourceQuota', 'Queue']) {
      expect(kind(objects, made)).toMatchObject({
        metadata: { annotations: { 'gantry.dev/products': 'H100-SXM-80GB' } },
      });
    }
  });

  test('its parts can be reached and changed late', () => {
    const { team: made, objects } = team();
    made.quota.set('pods', 100);
    made.limitRange?.add({ type: 'Pod', max: { memory: '2Ti' } });
    expect(kind(objects(), 'ResourceQuota')).toMatchObject({ spec: { hard: { pods: '100' } } });
    expect((kind(objects(), 'LimitRange')!.spec as { limits: unknown[] }).limits).toHaveLength(2);
  });

  test('what it owns comes after it', () => {
    const app = new App();
    const [jobs, platform] = [new Chart(app, 'jobs'), new Chart(app, 'platform')];
    const made = new Team(platform, 'research', { quota: { accelerators: Accelerator.nvidia({ count: 8 }) } }).owns(
      jobs,
    );
    new Namespace(jobs, 'job');
    expect(Testing.synth(app).map((object) => (object.metadata as JsonObject).name)).toEqual([
      'research',
      'research-quota',
      'research',
      'job',
    ]);
    expect(made.namespace.name).toBe('research');
  });
});

describe('who may work there', () => {
  test('no subject is bound where none is named', () => {
    expect(
      team()
        .objects()
        .filter(({ kind: found }) => found === 'Role' || found === 'RoleBinding'),
    ).toEqual([]);
  });

  test('members may run workloads of every kind, admins may do all else too', () => {
    const chart = new Chart(new App(), 'test');
    new Team(chart, 'research', {
      quota: { accelerators: Accelerator.nvidia({ count: 8 }) },
      admins: [{ kind: 'User', name: 'ada' }],
      members: [
        Group.fromName(chart, 'group', 'research-ml'),
        new ServiceAccount(chart, 'ci', { metadata: { name: 'ci', namespace: 'research' } }),
      ],
    });
    const bindings = Testing.synth(chart).filter((object) => object.kind === 'RoleBinding');
    const subjects = (binding: JsonObject): unknown =>
      (binding.subjects as JsonObject[]).map(({ kind: found, name }) => [found, name]);
    expect(bindings.map((binding) => [(binding.roleRef as JsonObject).name, subjects(binding)])).toEqual([
      ['admin', [['User', 'ada']]],
      [
        'edit',
        [
          ['Group', 'research-ml'],
          ['ServiceAccount', 'ci'],
        ],
      ],
      [
        'ai-workloads',
        [
          ['User', 'ada'],
          ['Group', 'research-ml'],
          ['ServiceAccount', 'ci'],
        ],
      ],
    ]);
    const role = kind(Testing.synth(chart), 'Role');
    expect((role!.rules as JsonObject[]).flatMap((rule) => rule.resources)).toEqual(
      expect.arrayContaining(['pytorchjobs', 'jobs', 'podgroups', 'rayjobs']),
    );
  });
});
