/**
 * The assertion kit, as a test of a stack uses it.
 */
import { App, Chart, Size } from 'cdk8s';
import { Deployment } from '../../../src/facts/api/types/apps/v1';
import { ConfigMap } from '../../../src/facts/api/types/core/v1';
import { Queue } from '../../../src/facts/api/types/scheduling.volcano.sh/v1beta1';
import { Accelerator, Checks, cluster, kubeflow, Namespace, Resource } from '../../../src';
import { defineRule } from '../../../src/interfaces/checks';
import { Match, Matcher, Template, TemplateError, type Difference } from '../../../src/interfaces/testing';

let chart: Chart;
let template: Template;

beforeEach(() => {
  chart = new Chart(new App(), 'stack', { namespace: 'research' });
  new Namespace(chart, 'research', { name: 'research' });
  new kubeflow.PyTorchJob(chart, 'llm', {
    name: 'llm',
    nodes: 2,
    image: 'registry.example.com/llm:1.4',
    command: ['torchrun', 'train.py'],
    accelerators: Accelerator.nvidia({ count: 8 }),
    resources: { cpu: 8, memory: Size.gibibytes(64) },
    sharedMemory: Size.gibibytes(8),
  });
  new Resource(chart, 'settings', ConfigMap, {
    metadata: { name: 'settings' },
    data: { 'app.yaml': 'replicas: 2\nhosts: [a, b]\n', 'app.json': '{"limit":4}', mode: 'fast' },
  });
  new Resource(chart, 'web', Deployment, {
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            { name: 'proxy', image: 'registry.example.com/proxy:2.0' },
            { name: 'web', image: 'registry.example.com/web:1.0', resources: { limits: { memory: '65536Mi' } } },
          ],
        },
      },
    },
  });
  template = Template.fromChart(chart);
});

/** What an assertion says when it fails. */
function failureOf(assertion: () => unknown): string {
  try {
    assertion();
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
    return (error as Error).message;
  }
  throw new Error('the assertion holds');
}

describe('hasResource', () => {
  it('accepts a part of an object, by a typed kind or by name, with or without its group and version', () => {
    template.hasResource(Deployment, { spec: { replicas: 2 } });
    for (const kind of ['Deployment', 'apps/Deployment', 'apps/v1/Deployment']) {
      template.hasResource(kind, { spec: { replicas: 2 } });
    }
    template.hasResource('PyTorchJob');
  });

  it('does not compile with a field that the kind does not have, or a value of another type', () => {
    // @ts-expect-error -- replica is misspelled
    expect(() => template.hasResource(Deployment, { spec: { replica: 2 } })).toThrow(TemplateError);
    // @ts-expect-error -- replicas is a number
    expect(() => template.hasResource(Deployment, { spec: { replicas: '2' } })).toThrow(TemplateError);
  });

  it('names the object, the place, and both values if the only object of the kind differs', () => {
    expect(failureOf(() => template.hasResource(Deployment, { spec: { replicas: 3, paused: true } }))).toBe(
      'apps/v1 Deployment research/web (at stack/web) does not match:\n' +
        '  /spec/replicas: expected 3, found 2\n' +
        '  /spec/paused: expected true, found no value',
    );
  });

  it('shows the closest of several objects', () => {
    new Resource(chart, 'other', Deployment, {
      metadata: { name: 'other' },
      spec: { replicas: 7, selector: {}, template: {} },
    });
    const message = failureOf(() =>
      Template.fromChart(chart).hasResource('Deployment', {
        metadata: { labels: { app: 'web' } },
        spec: { replicas: 7 },
      }),
    );
    expect(message).toContain('none of 2 Deployment objects matches; the closest is apps/v1 Deployment research/web');
    expect(message).toContain('/spec/replicas: expected 7, found 2');
  });

  it('takes for the closest the object of the name, and the one with more of the values that are asked for', () => {
    const maps = Template.fromYaml(`
apiVersion: v1
kind: ConfigMap
metadata: { name: full }
data: { app.yaml: "x: 1\\ny: 2\\nz: 3" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: bare, labels: { a: b } }
`);
    const closest = (pattern: Readonly<Record<string, unknown>>): string =>
      failureOf(() => maps.hasResource('ConfigMap', pattern));
    expect(closest({ metadata: { name: 'bare', labels: Match.absent() } })).toContain(
      'the closest is v1 ConfigMap bare',
    );
    expect(closest({ data: { 'app.yaml': Match.serializedYaml({ x: 1, y: 0, z: 0 }) } })).toContain(
      'the closest is v1 ConfigMap full',
    );
  });

  it('lists what there is, and the nearest kind, if there is no object of the kind', () => {
    expect(failureOf(() => template.hasResource('Deploymnet'))).toBe(
      'expected at least one Deploymnet, found none; did you mean Deployment? the objects are:\n' +
        '  apps/v1/Deployment (1)\n  kubeflow.org/v1/PyTorchJob (1)\n  v1/ConfigMap (1)\n  v1/Namespace (1)',
    );
  });

  it('compares plain lists element by element and by their length', () => {
    const containers = [{ name: 'proxy' }, { name: 'web' }];
    template.hasResource('Deployment', { spec: { template: { spec: { containers } } } });
    expect(
      failureOf(() =>
        template.hasResource('Deployment', { spec: { template: { spec: { containers: [{ name: 'proxy' }] } } } }),
      ),
    ).toContain('/spec/template/spec/containers: expected a list of 1 element, found [');
  });

  it('refuses undefined in a pattern, since it could mean both absent and any value', () => {
    expect(() => template.hasResource('Deployment', { spec: { paused: undefined } })).toThrow(
      'the pattern has undefined at /spec/paused; use Match.absent() for a field that must not be set',
    );
  });

  it('reads own fields only: an object without the field "constructor" does not have it', () => {
    expect(() => template.hasResource('Deployment', { spec: { constructor: Match.anyValue() } })).toThrow(
      TemplateError,
    );
    template.hasResource('Deployment', { spec: { toString: Match.absent() } });
  });

  it('points the stack at the line of the test', () => {
    try {
      template.hasResource('Deployment', { spec: { replicas: 3 } });
    } catch (error) {
      expect((error as Error).stack?.split('\n').find((line) => line.includes(' at '))).toContain('template.test.ts');
    }
    expect.assertions(1);
  });
});

describe('Match', () => {
  const hasData = (data: Record<string, unknown>) => () => template.hasResource('ConfigMap', { data });
  const hasContainers = (containers: unknown) => () =>
    template.hasResource('Deployment', { spec: { template: { spec: { containers } } } });

  it.each<[string, () => void, () => void]>([
    ['absent', hasData({ other: Match.absent() }), hasData({ mode: Match.absent() })],
    ['anyValue', hasData({ mode: Match.anyValue() }), hasData({ other: Match.anyValue() })],
    [
      'stringLikeRegexp',
      hasData({ mode: Match.stringLikeRegexp('^fa') }),
      hasData({ mode: Match.stringLikeRegexp('^as') }),
    ],
    [
      'stringLikeRegexp of a global expression',
      hasData({ mode: Match.stringLikeRegexp(/s/g) }),
      hasData({ mode: Match.stringLikeRegexp(/S/g) }),
    ],
    ['not', hasData({ mode: Match.not('slow') }), hasData({ mode: Match.not('fast') })],
    [
      'exact',
      () => template.hasResource('Deployment', { metadata: { labels: Match.exact({ app: 'web' }) } }),
      () => template.hasResource('Deployment', { spec: { selector: Match.exact({}) } }),
    ],
    [
      'objectLike',
      hasContainers(Match.arrayWith([Match.objectLike({ name: 'web' })])),
      hasContainers(Match.objectLike({})),
    ],
    [
      'arrayWith in order',
      hasContainers(Match.arrayWith([{ name: 'proxy' }, { name: 'web' }])),
      hasContainers(Match.arrayWith([{ name: 'web' }, { name: 'proxy' }])),
    ],
    [
      'arrayWith, each element once',
      hasContainers(Match.arrayWith([{ name: 'web' }])),
      hasContainers(Match.arrayWith([{ name: 'web' }, { name: 'web' }])),
    ],
    [
      'quantity',
      hasContainers(Match.arrayWith([{ resources: { limits: { memory: Match.quantity('64Gi') } } }])),
      hasContainers(Match.arrayWith([{ resources: { limits: { memory: Match.quantity('64G') } } }])),
    ],
    [
      'serializedYaml',
      hasData({ 'app.yaml': Match.serializedYaml({ replicas: 2 }) }),
      hasData({ 'app.yaml': Match.serializedYaml({ replicas: 3 }) }),
    ],
    [
      'serializedJson',
      hasData({ 'app.json': Match.serializedJson({ limit: 4 }) }),
      hasData({ 'app.yaml': Match.serializedJson({}) }),
    ],
  ])('%s accepts what it says, and refuses the rest', (_, holds, fails) => {
    expect(holds).not.toThrow();
    expect(fails).toThrow(TemplateError);
  });

  it('names the place inside of a serialized document', () => {
    expect(failureOf(hasData({ 'app.yaml': Match.serializedYaml({ hosts: ['a', 'c'] }) }))).toContain(
      '/data/app.yaml/hosts/1: expected "c", found "b"',
    );
  });

  it('names the closest element of a list', () => {
    expect(
      failureOf(hasContainers(Match.arrayWith([{ name: 'web', image: 'registry.example.com/web:1.1' }]))),
    ).toContain(
      '/spec/template/spec/containers/1/image: expected "registry.example.com/web:1.1", found "registry.example.com/web:1.0"',
    );
  });

  it('refuses an amount that is not a quantity when the pattern is made', () => {
    expect(() => Match.quantity('64 GB')).toThrow('must be a Kubernetes quantity');
  });

  it('takes matchers of a test', () => {
    class Even extends Matcher {
      readonly name = 'an even number';
      differences(value: unknown, path: string): readonly Difference[] {
        return typeof value === 'number' && value % 2 === 0 ? [] : [{ path, expected: this.name, found: undefined }];
      }
    }
    template.hasResource(Deployment, { spec: { replicas: new Even() } });
  });
});

describe('counts and lists', () => {
  it('counts the objects of a kind, and those that match', () => {
    template.resourceCountIs(Deployment, 1);
    template.resourceCountIs(Queue, 0);
    template.resourceCountIs(Deployment, 0, { spec: { replicas: 3 } });
    expect(failureOf(() => template.resourceCountIs('ConfigMap', 2))).toBe(
      'expected 2 ConfigMap, found 1:\n  v1 ConfigMap research/settings (at stack/settings)',
    );
    expect(failureOf(() => template.resourceCountIs('ConfigMap', 1, { data: { mode: 'slow' } }))).toBe(
      'expected 1 ConfigMap, found 0 that match; there are 1 in all',
    );
  });

  it('returns the objects of a kind with its type', () => {
    const [web] = template.findResources(Deployment);
    const replicas: number | undefined = web.spec?.replicas;
    expect(replicas).toBe(2);
    expect(template.findResources('Deployment', { spec: { replicas: 3 } })).toEqual([]);
  });

  it('requires all objects of a kind to match, and at least one', () => {
    template.allResources(Deployment, { metadata: { namespace: 'research' } });
    expect(() => template.allResources(Queue, {})).toThrow(TemplateError);
    expect(failureOf(() => template.allResources('Deployment', { spec: { replicas: 1 } }))).toContain(
      '1 of 1 Deployment objects do not match',
    );
  });
});

describe('findings', () => {
  const broken = () =>
    Template.fromObjects([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Not_A_Name' }, data: {} }]);

  it('returns the findings of a rule, and refuses an id that no rule has', () => {
    expect(broken().findings('schema/known-kind')).toEqual([]);
    expect(broken().findings().length).toBeGreaterThan(0);
    expect(() => broken().findings('schema/know-kind')).toThrow('(did you mean "schema/known-kind"?)');
    expect(() => broken().findings('shcema/known-kind')).toThrow('(did you mean "schema/known-kind"?)');
  });

  it('asserts a finding by its rule and what it says', () => {
    const [{ rule, path }] = broken().findings();
    broken().hasFinding(rule);
    broken().hasFinding(rule, { severity: 'error', path, message: Match.stringLikeRegexp('Not_A_Name') });
    expect(failureOf(() => broken().hasFinding(rule, { severity: 'info' }))).toContain(`expected a finding of ${rule}`);
    expect(failureOf(() => template.hasFinding(rule))).toContain('the checks report');
  });

  it('asserts that there are none of a severity', () => {
    template.hasNoFindings('error');
    expect(failureOf(() => broken().hasNoFindings())).toContain('expected no finding of severity error or warning');
  });

  it('reports the findings of rules that the stack adds', () => {
    Checks.of(chart).addRules(
      defineRule({
        on: 'object',
        id: 'acme/fast',
        kinds: ['ConfigMap'],
        severity: 'warning',
        summary: 'No ConfigMap is fast.',
        fix: 'Set data.mode to slow.',
        check: () => [{ path: '/data/mode', message: 'must be slow' }],
      }),
    );
    Template.fromChart(chart).hasFinding('acme/fast', { path: '/data/mode' });
    expect(template.findings('acme/other')).toEqual([]);
  });

  it('reads the output of another generator', () => {
    const read = Template.fromYaml('apiVersion: v1\nkind: Namespace\nmetadata:\n  name: research\n');
    read.hasResource('Namespace', { metadata: { name: 'research' } });
    expect(Template.fromYaml('a: [').findings()).toHaveLength(1);
  });
});

describe('plan', () => {
  const nodes = (count: number) =>
    cluster.readClusterFile(
      JSON.stringify({
        name: 'lab',
        pools: [{ name: 'gpu', count, accelerator: 'H100-SXM-80GB', cpu: 192, memory: '2Ti' }],
      }),
      'lab.yaml',
    );

  it('says on which nodes a workload lands, by its construct or its name', () => {
    const plan = template.plan(nodes(4));
    expect(plan.places('research/llm').nodes.size).toBe(2);
    expect(plan.places('llm')).toEqual(plan.places('research/llm'));
    expect(plan.places(chart.node.findChild('llm')).pods).toBe(2);
    plan.placesAll();
  });

  it('gives the reason and what would help if a workload waits', () => {
    const plan = template.plan(nodes(1));
    expect(failureOf(() => plan.places('llm'))).toContain('expected research/llm to be placed, but it is pending:');
    expect(failureOf(() => plan.placesAll())).toContain('research/llm: ');
    expect(plan.leavesPending('llm', Match.stringLikeRegexp('.')).length).toBeGreaterThan(0);
    expect(failureOf(() => plan.leavesPending('llm', 'no reason'))).toContain(
      'to be pending with the reason "no reason"',
    );
    expect(failureOf(() => template.plan(nodes(4)).leavesPending('llm'))).toContain('but all its pods are placed');
  });

  it('refuses a workload that is not in the set, and names those that are', () => {
    expect(() => template.plan(nodes(1)).places('research/lm')).toThrow(
      '"research/lm" is not a workload of the plan (did you mean "research/llm"?)',
    );
    expect(() => template.plan(nodes(1)).places(chart.node.findChild('settings'))).toThrow(
      'the construct stack/settings',
    );
  });
});
