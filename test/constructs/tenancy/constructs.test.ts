import { App, Chart } from 'cdk8s';
import { Group, Namespace as PlusNamespace } from 'cdk8s-plus-28';
import { Accelerator } from '../../../src/constructs/pods';
import { LimitRange, Namespace, PriorityClass, PriorityLadder, ResourceQuota } from '../../../src/constructs/tenancy';
import { Testing } from '../../../src/interfaces/testing';

/** A chart with a namespace, since that is where cluster-scoped objects go wrong. */
const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'research' });
const objects = (scope: Chart): readonly unknown[] => Testing.synth(scope);

describe('PriorityClass', () => {
  test('is in no namespace, also where its chart has one', () => {
    const scope = chart();
    new PriorityClass(scope, 'production', {
      value: 3000,
      preemptionPolicy: 'Never',
      description: 'Releases wait for it',
    });
    expect(objects(scope)).toEqual([
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'production' },
        value: 3000,
        preemptionPolicy: 'Never',
        description: 'Releases wait for it',
      },
    ]);
  });

  test('is a global default only with a reason, which silences the rule on the object itself', () => {
    const scope = chart();
    new PriorityClass(scope, 'batch', { value: 100, globalDefaultBecause: 'old jobs name no class' });
    expect(objects(scope)).toMatchObject([
      {
        globalDefault: true,
        metadata: { annotations: { 'gantry.dev/ignore': 'tenancy/global-default-deliberate: old jobs name no class' } },
      },
    ]);
    expect(() => new PriorityClass(scope, 'other', { value: 1, globalDefaultBecause: ' ' })).toThrow(
      /requires a non-empty reason/,
    );
  });

  test('one of the cluster is a name', () => {
    expect(PriorityClass.fromName('system-node-critical').name).toBe('system-node-critical');
  });
});

describe('PriorityLadder', () => {
  test('spaces its rungs from the lowest to the highest', () => {
    const scope = chart();
    const development = { name: 'development', preemptionPolicy: 'Never' } as const;
    const ladder = new PriorityLadder(scope, 'ladder', { rungs: ['scavenger', development, 'production'] });
    expect(ladder.rungs.map(({ name: priorityClassName, value }) => [priorityClassName, value])).toEqual([
      ['scavenger', 1000],
      ['development', 2000],
      ['production', 3000],
    ]);
    expect(ladder.at('production').value).toBe(3000);
    expect(objects(scope).filter((object) => 'globalDefault' in (object as object))).toEqual([]);
  });

  test('takes a prefix, a start, a step and one deliberate global default', () => {
    const scope = chart();
    const ladder = new PriorityLadder(scope, 'ladder', {
      rungs: ['low', 'high'],
      prefix: 'ai-',
      lowest: 0,
      step: 10,
      globalDefault: { rung: 'low', because: 'it is 0' },
    });
    expect(ladder.rungs.map(({ name: priorityClassName, value }) => [priorityClassName, value])).toEqual([
      ['ai-low', 0],
      ['ai-high', 10],
    ]);
    expect(objects(scope).filter((object) => (object as { globalDefault?: boolean }).globalDefault)).toHaveLength(1);
  });

  test('refuses what its types cannot exclude, and says what to do', () => {
    const scope = chart();
    expect(() => new PriorityLadder(scope, 'a', { rungs: ['x', 'x'] })).toThrow(/duplicate rung "x"/);
    expect(() => new PriorityLadder(scope, 'b', { rungs: ['x', 'y'], step: 1_000_000_000 })).toThrow(
      /the value of the highest rung \(2000000000\) must be less than or equal to 1000000000/,
    );
    expect(() => new PriorityLadder(scope, 'c', { rungs: ['x'], step: 0 })).toThrow(/step must be a whole number/);
    const ladder = new PriorityLadder(scope, 'd', { rungs: ['x', 'y'] });
    expect(() => ladder.at('z' as 'x')).toThrow(/unknown rung "z". Use x or y/);
  });
});

describe('ResourceQuota', () => {
  test('writes every amount under the key that counts it', () => {
    const scope = chart();
    new ResourceQuota(scope, 'quota', {
      requests: {
        cpu: 512,
        memory: '4Ti',
        accelerators: Accelerator.nvidia({ count: 64 }),
        hugepages: { '2Mi': '1Gi' },
      },
      limits: { memory: '5Ti' },
      pods: 200,
      storage: '10Ti',
      persistentVolumeClaims: 20,
      hard: { 'count/jobs.batch': 50 },
    });
    new LimitRange(scope, 'limits', {
      container: { defaultRequest: { cpu: 1, memory: '2Gi' }, default: { memory: '4Gi' } },
    });
    expect(objects(scope)[0]).toMatchObject({
      metadata: { name: 'quota', namespace: 'research' },
      spec: {
        hard: {
          'requests.cpu': '512',
          'requests.memory': '4Ti',
          'requests.nvidia.com/gpu': '64',
          'hugepages-2Mi': '1Gi',
          'limits.memory': '5Ti',
          pods: '200',
          'requests.storage': '10Ti',
          persistentvolumeclaims: '20',
          'count/jobs.batch': '50',
        },
      },
    });
  });

  test('late changes count', () => {
    const scope = chart();
    const quota = new ResourceQuota(scope, 'quota', { requests: { accelerators: Accelerator.nvidia({ count: 64 }) } });
    quota.set('requests.nvidia.com/gpu', 32).set('pods', 10);
    expect(objects(scope)).toMatchObject([{ spec: { hard: { 'requests.nvidia.com/gpu': '32', pods: '10' } } }]);
    expect(quota.amounts).toEqual({ 'requests.nvidia.com/gpu': '32', pods: '10' });
  });

  test('what is patched in is written unchanged', () => {
    const scope = chart();
    const quota = new ResourceQuota(scope, 'quota', { requests: { accelerators: Accelerator.nvidia({ count: 64 }) } });
    quota.resource.metadata.addLabel('cost-centre', '42');
    expect(objects(scope)).toMatchObject([{ metadata: { labels: { 'cost-centre': '42' } } }]);
  });
});

describe('LimitRange', () => {
  test('a maximum of GPUs gives none to containers that ask for none', () => {
    const scope = chart();
    new LimitRange(scope, 'limits', {
      container: { max: { accelerators: Accelerator.nvidia({ count: 8 }), memory: '2Ti' }, default: { memory: '8Gi' } },
    });
    expect(objects(scope)).toMatchObject([
      {
        spec: {
          limits: [
            {
              type: 'Container',
              max: { 'nvidia.com/gpu': '8', memory: '2Ti' },
              default: { memory: '8Gi', 'nvidia.com/gpu': '0' },
              defaultRequest: { 'nvidia.com/gpu': '0' },
            },
          ],
        },
      },
    ]);
  });

  test('bounds pods and claims', () => {
    const scope = chart();
    new LimitRange(scope, 'limits', {
      pod: { max: { memory: '2Ti' } },
      persistentVolumeClaim: { min: '1Gi', max: '10Ti' },
    });
    expect(objects(scope)).toMatchObject([
      {
        spec: {
          limits: [
            { type: 'Pod', max: { memory: '2Ti' } },
            { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Ti' } },
          ],
        },
      },
    ]);
  });
});

describe('Namespace', () => {
  test('comes before what goes to it', () => {
    const app = new App();
    const [a, b] = [new Chart(app, 'a'), new Chart(app, 'b')];
    const namespace = new Namespace(b, 'research', { labels: { team: 'research' } });
    new ResourceQuota(a, 'quota', { namespace, requests: { accelerators: Accelerator.nvidia({ count: 8 }) } });
    expect(Testing.synth(app).map((object) => (object as { kind: string }).kind)).toEqual([
      'Namespace',
      'ResourceQuota',
    ]);
  });

  test('one of cdk8s-plus does as well, and one of the cluster', () => {
    const scope = new Chart(new App(), 'test');
    new ResourceQuota(scope, 'a', {
      namespace: new PlusNamespace(scope, 'ns', { metadata: { name: 'plus' } }),
      requests: { accelerators: Accelerator.nvidia({ count: 8 }) },
    });
    new ResourceQuota(scope, 'b', {
      namespace: Namespace.fromName('there'),
      requests: { accelerators: Accelerator.nvidia({ count: 8 }) },
    });
    const found = objects(scope).map(
      (object) => (object as { metadata: { name: string; namespace?: string } }).metadata,
    );
    expect(found).toEqual([{ name: 'plus' }, { name: 'a', namespace: 'plus' }, { name: 'b', namespace: 'there' }]);
    expect(Group.fromName(scope, 'g', 'research').toSubjectConfiguration().kind).toBe('Group');
  });
});
