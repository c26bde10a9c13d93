import { parse } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';
import { differenceOf, type SetDifference } from '../../../src/interfaces/difference';
import { sumChanges } from '../../../src/interfaces/difference/sums';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { updateCases } from './updates';

function setOf(...texts: readonly (string | JsonObject)[]): ManifestSet {
  return new ManifestSet(
    texts.flatMap(
      (text, index) => parseYaml(typeof text === 'string' ? text : JSON.stringify(text), `${index}.yaml`).manifests,
    ),
  );
}

function between(before: readonly (string | JsonObject)[], after: readonly (string | JsonObject)[]): SetDifference {
  return differenceOf(setOf(...before), setOf(...after));
}

/** What happens, as `effect: text`. */
function happens(before: string | JsonObject, after: string | JsonObject): readonly string[] {
  return between([before], [after]).differences.flatMap(({ consequences }) =>
    consequences.map(({ effect, text }) => `${effect}: ${text}`),
  );
}

/** Changed fields, as `change field before after`. */
function fields(before: string, after: string): readonly string[] {
  return between([before], [after]).differences.flatMap(({ object }) =>
    object.change !== 'changed'
      ? [object.change]
      : object.fields.map(({ change, field, ...values }) =>
          [change, field, JSON.stringify(values.before), JSON.stringify(values.after)].join(' ').trimEnd(),
        ),
  );
}

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: research}
spec:
  replicas: 2
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec:
      containers:
        - {name: main, image: "example.com/a:1", ports: [{containerPort: 80}], env: [{name: A, value: "1"}]}
        - {name: side, image: "example.com/b:1"}
`;

describe('updates', () => {
  test.each(updateCases().map((one) => [one.name, one] as const))('%s', (_, { before, after, rejected }) => {
    const said = happens(before, after);
    expect(said.some((text) => text.startsWith('rejected'))).toBe(rejected);
  });

  const VOLCANO = {
    apiVersion: 'batch.volcano.sh/v1alpha1',
    kind: 'Job',
    metadata: { name: 'train' },
    spec: { minAvailable: 1, queue: 'a', tasks: [{ name: 'worker', replicas: 1, template: { spec: {} } }] },
  };

  test('that a webhook rejects name it', () => {
    const moved = { ...VOLCANO, spec: { ...VOLCANO.spec, queue: 'b' } };
    expect(happens(VOLCANO, moved)).toEqual([
      "rejected: Volcano's webhook rejects the update: spec.queue must not change",
    ]);
    const scaled = { ...VOLCANO, spec: { ...VOLCANO.spec, tasks: [{ ...VOLCANO.spec.tasks[0], replicas: 2 }] } };
    expect(happens(VOLCANO, scaled)).toEqual(['scaled: 1 → 2 pods']);
  });

  test.each([
    ['{suspend: false}', '{suspend: false}', true],
    ['{suspend: true}', '{suspend: true}', false],
  ])('of the template of a JobSet with %s', (before, after, rejected) => {
    const jobSet = (more: string, label: string): JsonObject => ({
      apiVersion: 'jobset.x-k8s.io/v1alpha2',
      kind: 'JobSet',
      metadata: { name: 'a' },
      spec: {
        ...(parse(more) as JsonObject),
        replicatedJobs: [
          {
            name: 'w',
            template: { spec: { template: { metadata: { labels: { a: label } }, spec: { containers: [] } } } },
          },
        ],
      },
    });
    const said = happens(jobSet(before, '1'), jobSet(after, '2'));
    expect(said.some((text) => text.startsWith("rejected: JobSet's webhook"))).toBe(rejected);
  });

  test('that a rule of the CRD rejects name the rule where it says more than that a field is immutable', () => {
    const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}
                class: {type: string, default: small, x-kubernetes-validations: [{rule: self == oldSelf}]}
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties:
                      name: {type: string}
                      color: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}
`;
    const widget = (spec: string): string =>
      `{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: ${spec}}`;
    const said = (before: string, after: string): readonly string[] =>
      between([crd, widget(before)], [crd, widget(after)]).differences.flatMap(({ consequences }) =>
        consequences.map(({ text }) => text),
      );
    expect(said('{size: 2}', '{size: 1}')).toEqual([
      'the CRD rejects the update: spec.size violates the rule self >= oldSelf',
    ]);
    expect(said('{size: 1}', '{size: 2}')).toEqual([]);
    // The default counts as the old value, and a keyed item is found wherever it is.
    expect(said('{}', '{class: large}')).toEqual(['the CRD rejects the update: spec.class must not change']);
    expect(said('{parts: [{name: a, color: red}, {name: b}]}', '{parts: [{name: b}, {name: a, color: blue}]}')).toEqual(
      ['the CRD rejects the update: spec.parts[a].color must not change'],
    );
    expect(said('{parts: [{name: a, color: red}]}', '{parts: [{name: b, color: blue}]}')).toEqual([]);
  });
});

describe('pods', () => {
  const change = (text: string, from: string, to: string): readonly string[] => happens(text, text.replace(from, to));

  test.each([
    ['a Deployment', DEPLOYMENT, 'a:1', 'a:2', ['replaced: a rolling update replaces its 2 pods']],
    ['a scaled Deployment', DEPLOYMENT, 'replicas: 2', 'replicas: 3', ['scaled: 2 → 3 pods']],
    [
      'a Deployment that is recreated',
      DEPLOYMENT.replace('replicas: 2', 'strategy: {type: Recreate}'),
      'a:1',
      'a:2',
      ['replaced: its pod ends before a new one starts (Recreate)'],
    ],
    [
      'a StatefulSet that waits for pods to be deleted',
      DEPLOYMENT.replace('kind: Deployment', 'kind: StatefulSet').replace(
        'replicas: 2',
        'replicas: 2\n  updateStrategy: {type: OnDelete}',
      ),
      'a:1',
      'a:2',
      ['kept: its 2 pods keep the old template until deleted (OnDelete)'],
    ],
    [
      'a DaemonSet',
      DEPLOYMENT.replace('kind: Deployment', 'kind: DaemonSet').replace('replicas: 2', 'minReadySeconds: 1'),
      'a:1',
      'a:2',
      ['replaced: a rolling update replaces its pods'],
    ],
    ['labels of a Deployment itself', DEPLOYMENT, 'namespace: research}', 'namespace: research, labels: {a: b}}', []],
  ])('of %s', (_, text, from, to, expected) => {
    expect(change(text, from, to)).toEqual(expected);
  });

  test('of a removed workload end', () => {
    const { differences } = between([DEPLOYMENT], []);
    expect(differences.flatMap(({ consequences }) => consequences.map(({ text }) => text))).toEqual(['its 2 pods end']);
  });

  test('keep the environment of a ConfigMap that changes, until they restart', () => {
    const config = (value: string): string =>
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: research}, data: {a: "${value}"}}`;
    const reading = (source: string): string => DEPLOYMENT.replace('env: [{name: A, value: "1"}]', source);
    const env = reading('envFrom: [{configMapRef: {name: c}}]');
    const texts = (workload: string): readonly string[] =>
      between([config('1'), workload], [config('2'), workload]).differences.flatMap(({ consequences }) =>
        consequences.map(({ text }) => text),
      );
    expect(texts(env)).toEqual([
      'the pods of apps/v1 Deployment research/server keep the old values in their environment until they restart',
    ]);
    expect(texts(DEPLOYMENT)).toEqual([]);
  });
});

describe('removals', () => {
  test.each(['Namespace', 'PersistentVolumeClaim'])('of a %s say what is lost', (kind) => {
    const { differences } = between([`{apiVersion: v1, kind: ${kind}, metadata: {name: a}}`], []);
    expect(differences[0].consequences.map(({ effect }) => effect)).toEqual(['lost']);
  });
});

describe('fields', () => {
  const changed = (from: string, to: string): readonly string[] => fields(DEPLOYMENT, DEPLOYMENT.replace(from, to));

  test('are named by the names of the items around them', () => {
    expect(changed('b:1', 'b:2')).toEqual([
      'changed spec.template.spec.containers[side].image "example.com/b:1" "example.com/b:2"',
    ]);
  });

  test('of keyed lists are compared item by item, in any place', () => {
    const one = '- {name: side, image: "example.com/b:1"}';
    expect(changed(one, `- {name: new, image: c}\n        ${one}`)).toEqual([
      'added spec.template.spec.containers[new]  {"name":"new","image":"c"}',
    ]);
    expect(changed(one, '')).toEqual([
      'removed spec.template.spec.containers[side] {"name":"side","image":"example.com/b:1"}',
    ]);
    expect(changed('[{name: A, value: "1"}]', '[{name: B, value: "1"}, {name: A, value: "2"}]')).toEqual([
      'added spec.template.spec.containers[main].env[B]  {"name":"B","value":"1"}',
      'changed spec.template.spec.containers[main].env[A].value "1" "2"',
    ]);
  });

  test('that the server sets by default are the same as unset ones', () => {
    expect(changed('{containerPort: 80}', '{containerPort: 80, protocol: TCP}')).toEqual([]);
    expect(changed('replicas: 2', 'replicas: 2\n  revisionHistoryLimit: 10')).toEqual([]);
  });

  test('that only a server writes do not count', () => {
    const live = DEPLOYMENT.replace(
      'namespace: research}',
      'namespace: research, uid: u, resourceVersion: "7", managedFields: []}',
    );
    expect(fields(live, DEPLOYMENT)).toEqual([]);
  });

  test('of Secrets show no values', () => {
    const secret = (value: string): string =>
      `{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {password: ${value}}}`;
    const result = between([secret('hunter2')], [secret('hunter3')]);
    expect(JSON.stringify(result.differences[0].object)).toContain('"field":"stringData.password"');
    const { object } = result.differences[0];
    expect(object.change === 'changed' && JSON.stringify(object.fields)).not.toContain('hunter');
  });
});

describe('objects', () => {
  const config = (name: string, value: string): string =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: "${value}"}}`;

  test('are added, removed, changed, and the same', () => {
    const { differences, unchanged } = between(
      [config('same', '1'), config('other', '1'), config('gone', '1')],
      [config('new', '1'), config('other', '2'), config('same', '1')],
    );
    expect(differences.map(({ object }) => object.change)).toEqual(['added', 'changed', 'removed']);
    expect(unchanged).toBe(1);
  });

  test('in another version are the same object', () => {
    const claim = (version: string): string =>
      `{apiVersion: resource.k8s.io/${version}, kind: DeviceClass, metadata: {name: a}}`;
    expect(fields(claim('v1beta1'), claim('v1'))).toEqual([
      'changed apiVersion "resource.k8s.io/v1beta1" "resource.k8s.io/v1"',
    ]);
  });

  test('whose name is a hash of their content are followed', () => {
    expect(fields(config('c-abcdef1234', '1'), config('c-ghijkl5678', '2'))).toEqual([
      'changed metadata.name "c-abcdef1234" "c-ghijkl5678"',
      'changed data.a "1" "2"',
    ]);
    // Of two that are gone, it is not known which became the new one.
    const { differences } = between(
      [config('c-abcdef1234', '1'), config('c-abcdef1235', '1')],
      [config('c-ghijkl5678', '2')],
    );
    expect(differences.map(({ object }) => object.change)).toEqual(['added', 'removed', 'removed']);
  });

  test('that the server names are the same where they say the same', () => {
    const job = (image: string): string =>
      `{apiVersion: v1, kind: Pod, metadata: {generateName: a-}, spec: {containers: [{name: c, image: ${image}}]}}`;
    expect(between([job('a'), job('b')], [job('a'), job('b')]).unchanged).toBe(2);
  });
});

describe('sums', () => {
  const QUEUE =
    '{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: research}, spec: {capability: {nvidia.com/gpu: 64}}}';
  const job = (replicas: number): string => `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: r}
spec:
  queue: research
  schedulerName: volcano
  minAvailable: ${replicas}
  tasks:
    - name: worker
      replicas: ${replicas}
      template: {spec: {containers: [{name: a, image: "x:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
`;

  test('of queues move with their workloads and with their limits', () => {
    expect(sumChanges(setOf(QUEUE, job(8)), setOf(QUEUE.replace('64', '80'), job(6)))).toEqual([
      {
        name: 'research',
        of: 'queue',
        resource: 'nvidia.com/gpu',
        before: { requested: '64', limit: '64' },
        after: { requested: '48', limit: '80' },
      },
    ]);
    expect(sumChanges(setOf(QUEUE, job(8)), setOf(QUEUE, job(8)))).toEqual([]);
  });

  test('of quotas move with what their namespace runs', () => {
    const quota =
      '{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: research}, spec: {hard: {pods: "9"}}}';
    expect(
      sumChanges(setOf(quota, DEPLOYMENT), setOf(quota, DEPLOYMENT.replace('replicas: 2', 'replicas: 5'))),
    ).toContainEqual({
      name: 'v1 ResourceQuota research/q',
      of: 'quota',
      resource: 'pods',
      before: { requested: '2', limit: '9' },
      after: { requested: '5', limit: '9' },
    });
  });
});
