/**
 * Stacks that `adopt` writes render what was adopted: a sample of what `npm run test:adopt` goes over, and values that are hard to write.
 */
import { parseYaml } from '../../../../src/manifests/yaml';
import { ManifestSet } from '../../../../src/manifests/manifest-set';
import { ROOT } from '../../../adopt/inputs';
import { objectsOf, roundTrip } from '../../../adopt/round-trip';
import { readManifestFiles } from '../../../../src/interfaces/checks/read-files';

function setOf(yaml: string): ManifestSet {
  const { manifests, problems } = parseYaml(yaml, 'test.yaml');
  return new ManifestSet(manifests, problems);
}

test.each(['test/e2e/corpus/kueue.yaml', 'test/fixtures/manifests/corrected'])('%s renders as it was', (path) => {
  const { adoption, differing } = roundTrip(readManifestFiles(`${ROOT}/${path}`));
  expect(differing).toEqual([]);
  expect(adoption.declarations.some(({ form }) => form === 'construct')).toBe(true);
});

test('names of objects of the set become references', () => {
  const { adoption, differing } = roundTrip(
    setOf(`
apiVersion: v1
kind: Namespace
metadata: { name: lab }
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: high }
value: 10
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: company }
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: research }
spec: { parent: company, weight: 2 }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: lab }
data: { a: b }
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: { name: train, namespace: lab }
spec:
  queue: research
  priorityClassName: high
  minAvailable: 1
  tasks:
    - name: worker
      replicas: 1
      template:
        spec:
          restartPolicy: OnFailure
          containers: [{ name: worker, image: a:1, envFrom: [{ configMapRef: { name: settings } }] }]
          volumes: []
`),
  );
  expect(differing).toEqual([]);
  for (const text of [
    'parent: company,',
    'namespace: lab,',
    'priorityClass: high,',
    '.submitTo(research)',
    'configMapRef: { name: settings.name }',
    "metadata: { name: 'settings', namespace: lab.name }",
  ]) {
    expect(adoption.source).toContain(text);
  }
});

const HARD = [
  'line one\nline two\n',
  'tick ` dollar ${x} back \\ slash \\n\nnext',
  'it\'s "both"\n\ttab',
  '\r\nwindows\r\nlines that are long enough',
  '\u2028separators\u2029 and \u0000 nothing',
  '  leading and trailing spaces  \n   \n',
  '',
];

test('text of any kind is written as it is', () => {
  const data = Object.fromEntries(HARD.map((text, index) => [`k${index}`, text]));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'text' }, data };
  const { adoption, differing } = roundTrip(setOf(JSON.stringify(object)));
  expect(differing).toEqual([]);
  expect(objectsOf(adoption.source)[0]?.data).toEqual(data);
});

test('a key "constructor" is carried over by a patch, and "__proto__" is reported', () => {
  const { adoption, differing } = roundTrip(
    setOf(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"keys"},"data":{"constructor":"a","__proto__":"b","c":"d"}}',
    ),
  );
  expect(differing).toEqual([]);
  expect(objectsOf(adoption.source)[0]?.data).toEqual(JSON.parse('{"constructor":"a","c":"d"}'));
  expect(adoption.notCarried.map(({ path }) => path)).toEqual(['/data/__proto__']);
});

test('names that are no identifiers, and one name in several namespaces and kinds', () => {
  const named = (kind: string, name: string, namespace: string): string =>
    JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace }, data: { a: 'b' } });
  const { adoption, differing } = roundTrip(
    setOf(
      [
        named('ConfigMap', '1-volcano', 'a'),
        named('ConfigMap', '1-volcano', 'b'),
        named('ConfigMap', 'class', 'a'),
        named('ConfigMap', 'volcano', 'a'),
        '{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"class","namespace":"a"}}',
        '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"system:a/b"},"rules":[]}',
        '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generateName":"w-"},"spec":{"a":1}}',
      ].join('\n---\n'),
    ),
  );
  expect(differing).toEqual([]);
  expect(adoption.declarations.map(({ form }) => form)).toContain('plain');
});

test('objects are named as members of every object are', () => {
  const { adoption, differing } = roundTrip(
    setOf(
      ['constructor', '__proto__', 'toString', 'valueOf']
        .map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`)
        .join('---\n'),
    ),
  );
  expect(differing).toEqual([]);
  expect(adoption.source).toContain("new Namespace(this, '__proto__-namespace', { name: '__proto__' });");
});

test('an object that does not have the shape of its kind stays as it is, without the type of the kind', () => {
  const { adoption, differing } = roundTrip(
    setOf('{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"},"spec":{"wieght":2}}'),
  );
  expect(differing).toEqual([]);
  expect(adoption.declarations.map(({ form, why }) => [form, why])).toEqual([
    ['plain', 'it does not have the shape of its kind'],
  ]);
});

test('many objects are divided into functions, which hand on what others refer to', () => {
  const queue = '{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"}}';
  const groups = Array.from(
    { length: 200 },
    (_, index) =>
      `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"g${index}","namespace":"a"},"spec":{"queue":"q","minMember":2}}`,
  );
  const { adoption, differing } = roundTrip(setOf([queue, ...groups].join('\n---\n')));
  expect(differing).toEqual([]);
  expect(adoption.source).toContain('function part2(chart: Chart, { q }: ReturnType<typeof part1>)');
});
