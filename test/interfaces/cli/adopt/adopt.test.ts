/**
 * `gantry adopt`: what it writes, what it leaves out and says so, and when it refuses.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from '../../../../src/interfaces/difference/compare';
import { Workplace } from '../fake-terminal';

const QUEUE =
  'apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: { name: research }\nspec: { weight: 2 }\n';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => {
  place.remove();
});

test('writes the stack to a file, and reports what became a construct', async () => {
  place.write('queue.yaml', QUEUE);
  const { status, out, err } = await place.run(['adopt', 'queue.yaml', '--out', 'stack.ts', '--class', 'Platform']);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out).toContain('stack.ts: 1 object, 1 of them as constructs');
  expect(out).toContain("import { Platform } from './stack';");
  const source = readFileSync(join(place.folder, 'stack.ts'), 'utf8');
  expect(source).toContain("new volcano.Queue(this, 'research', { weight: 2 });");
  expect(source).toContain('export class Platform extends Chart');
});

test('prints the stack without --out, and the report to standard error', async () => {
  const { status, out, err } = await place.run(['adopt', '-'], { input: QUEUE });
  expect(status).toBe(0);
  expect(out).toMatch(/^\/\/ Written by gantry adopt/);
  expect(err).toContain('1 object, 1 of them as constructs');
});

test('does not replace a file without --force', async () => {
  place.write('queue.yaml', QUEUE);
  place.write('stack.ts', 'mine');
  const refused = await place.run(['adopt', 'queue.yaml', '--out', 'stack.ts']);
  expect(refused).toEqual({
    status: 2,
    out: '',
    err: 'gantry: --out stack.ts: exists already; pass --force to replace it\n',
  });
  expect(readFileSync(join(place.folder, 'stack.ts'), 'utf8')).toBe('mine');
  expect((await place.run(['adopt', 'queue.yaml', '--out', 'stack.ts', '--force'])).status).toBe(0);
  expect(readFileSync(join(place.folder, 'stack.ts'), 'utf8')).not.toBe('mine');
});

const LIVE = `
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Service
    metadata: { name: web, namespace: a, uid: 1-2, resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" }
    spec: { clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{ port: 80 }], selector: { app: web } }
    status: { loadBalancer: {} }
  - apiVersion: v1
    kind: Pod
    metadata:
      name: train-x
      namespace: a
      uid: 1-3
      ownerReferences: [{ apiVersion: batch/v1, kind: Job, name: train, uid: 1-1, controller: true }]
    spec: { containers: [{ name: a, image: b }] }
  - apiVersion: v1
    kind: Secret
    metadata: { name: token, namespace: a }
    data: { key: aHVudGVyMi1odW50ZXIy }
`;

test('leaves out what a cluster added, what controllers create, and Secrets with values; each is reported', async () => {
  const { status, out, err } = await place.run(['adopt', '-'], { input: LIVE });
  expect(status).toBe(0);
  expect(out).not.toMatch(/uid|resourceVersion|clusterIP|aHVudGVy|hunter2|train-x/);
  expect(err).toContain('/metadata/uid (1 object)');
  expect(err).toContain('/spec/clusterIP (1 object)');
  expect(err).toContain('v1 Pod a/train-x: created by Job/train, which creates it again');
  expect(err).toContain('v1 Secret a/token: has secret values');
});

test('--secrets writes them, with a comment that says so', async () => {
  const { out } = await place.run(['adopt', '-', '--secrets'], { input: LIVE });
  expect(out).toContain('// Contains secret values. Keep this file out of version control.');
  expect(out).toContain('aHVudGVyMi1odW50ZXIy');
});

test('a document that cannot be read is reported, and the others are adopted', async () => {
  const { status, out, err } = await place.run(['adopt', '-'], { input: `${QUEUE}---\nkind: [\n` });
  expect(status).toBe(1);
  expect(out).toContain('volcano.Queue');
  expect(err).toContain('Not carried over:');
});

test.each([
  ['kind: MigConfiguration\nmetadata: { name: x }\n', 'has no apiVersion'],
  ['kind: Pod\napiVersion: null\nmetadata: { name: x }\n', 'has no apiVersion'],
  ['kind: Pod\napiVersion: 1\nmetadata: { name: x }\n', 'apiVersion must be a string'],
])('a document without a usable apiVersion is left out, and the others are adopted: %j', async (text, reason) => {
  const { out, err } = await place.run(['adopt', '-'], { input: `${QUEUE}---\n${text}` });
  expect(out).toContain('volcano.Queue');
  expect(out).not.toContain("name: 'x'");
  expect(err).toContain(reason);
});

test.each([
  ['agent.service', '[Unit]\nDescription=Agent\n[Service]\nExecStart=/bin/agent\n', 'a configuration file of systemd'],
  ['daemon.json', '{"default-runtime": "nvidia"}\n', 'a configuration file of the Docker daemon'],
])('%s of a folder is left out, and its objects are adopted', async (name, text, reason) => {
  place.write('all/queue.yaml', QUEUE);
  place.write(`all/${name}`, text);
  const { status, out, err } = await place.run(['adopt', 'all']);
  expect(status).toBe(0);
  expect(out).toContain('volcano.Queue');
  expect(err).toContain(`${reason}, not an API object`);
});

test('writes nothing where there is no object', async () => {
  place.write('empty.yaml', '# nothing\n');
  const { status, err } = await place.run(['adopt', 'empty.yaml', '--out', 'stack.ts']);
  expect({ status, exists: existsSync(join(place.folder, 'stack.ts')) }).toEqual({ status: 2, exists: false });
  expect(err).toContain('contains no Kubernetes object');
});

const job = (spec: object): { apiVersion: string; kind: string; spec: object } => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec,
});
const pod = (container: object): object => ({ template: { spec: { containers: [{ name: 'a', ...container }] } } });

test.each([
  [
    'quantities by amount',
    pod({ resources: { limits: { cpu: '1' } } }),
    pod({ resources: { limits: { cpu: '1000m' } } }),
  ],
  ['defaults', { backoffLimit: 6, ...pod({}) }, pod({})],
  [
    'requests that follow from limits',
    pod({ resources: { limits: { cpu: 1 } } }),
    pod({ resources: { limits: { cpu: 1 }, requests: { cpu: 1 } } }),
  ],
  [
    'the order of volume mounts',
    pod({
      volumeMounts: [
        { name: 'a', mountPath: '/a' },
        { name: 'b', mountPath: '/b' },
      ],
    }),
    pod({
      volumeMounts: [
        { name: 'b', mountPath: '/b' },
        { name: 'a', mountPath: '/a' },
      ],
    }),
  ],
])('equal are %s', (_, wanted, rendered) => {
  expect(differences(job(wanted) as never, job(rendered) as never)).toEqual([]);
});

const A = { name: 'a', value: '1' };
const B = { name: 'b', value: '2' };

test.each([
  ['another amount', 1, pod({ resources: { limits: { cpu: '1' } } }), pod({ resources: { limits: { cpu: '1001m' } } })],
  [
    'another amount from which a request follows that one side states',
    2,
    pod({ resources: { limits: { cpu: '1' }, requests: { cpu: '1' } } }),
    pod({ resources: { limits: { cpu: '1001m' } } }),
  ],
  ['another value than the default', 1, { backoffLimit: 5, ...pod({}) }, pod({})],
  ['the order of arguments', 2, pod({ args: ['a', 'b'] }), pod({ args: ['b', 'a'] })],
  ['the order of variables, which may use each other', 4, pod({ env: [A, B] }), pod({ env: [B, A] })],
  [
    'a work queue and a number of completions',
    1,
    { parallelism: 3, ...pod({}) },
    { parallelism: 3, completions: 3, ...pod({}) },
  ],
])('not equal is %s', (_, places, wanted, rendered) => {
  expect(differences(job(wanted) as never, job(rendered) as never)).toHaveLength(places);
});

test('objects without a construct are named, with the reason', async () => {
  const { err } = await place.run(['adopt', '-'], {
    input: `${QUEUE}---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: { name: research }
spec: {}
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: gear, namespace: lab }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: wheel, namespace: lab }
`,
  });
  expect(err).toContain(`Objects without a construct:
  example.com/v1 Widget lab/gear, lab/wheel: its kind has no construct
  kueue.x-k8s.io/v1beta1 ClusterQueue research: the construct of its kind renders kueue.x-k8s.io/v1beta2
`);
});
