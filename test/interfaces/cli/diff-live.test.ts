import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { HttpServer } from '../../support/http-server';
import { type InProcessApiServer } from '../../support/api-server/api-server';
import { put, snapshotServer } from '../../support/snapshot-world';
import { Workplace } from './fake-terminal';

const job = (name: string, image: string, namespace = 'research'): string => `
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "${image}", resources: {limits: {nvidia.com/gpu: 8}}}]
`;
const QUEUE = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 1, reclaimable: true, capability: {nvidia.com/gpu: 8}}
`;
const secret = (text: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: research}
stringData: {password: ${text}}
`;

/** A Job as the server has it, with the defaults and fields of controllers. */
const LIVE_JOB: JsonObject = {
  metadata: {
    name: 'train',
    namespace: 'research',
    uid: 'a',
    managedFields: [
      { manager: 'kubectl', operation: 'Apply', apiVersion: 'batch/v1', fieldsV1: { 'f:spec': { 'f:suspend': {} } } },
      {
        manager: 'scaler',
        operation: 'Update',
        apiVersion: 'batch/v1',
        fieldsV1: { 'f:spec': { 'f:parallelism': {} } },
      },
    ],
  },
  spec: {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    suspend: true,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'a' } },
    template: {
      metadata: { labels: { 'batch.kubernetes.io/controller-uid': 'a', 'job-name': 'train' } },
      spec: {
        restartPolicy: 'Never',
        dnsPolicy: 'ClusterFirst',
        containers: [
          {
            name: 'main',
            image: 'example.com/a:1',
            imagePullPolicy: 'IfNotPresent',
            resources: { limits: { 'nvidia.com/gpu': '8' }, requests: { 'nvidia.com/gpu': '8' } },
          },
        ],
      },
    },
  },
  status: { active: 1 },
};

function serve(api: InProcessApiServer, groupVersion: string, kinds: Readonly<Record<string, string>>): void {
  const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
  const resources = Object.entries(kinds).map(([name, kind]) => ({ name, kind, namespaced: true }));
  const known = api.documents.get(path)?.resources;
  api.documents.set(path, { resources: [...(Array.isArray(known) ? known : []), ...resources] });
}

describe('gantry diff PATH --cluster live', () => {
  const place = new Workplace();
  const api = snapshotServer([
    'batch',
    'scheduling.volcano.sh',
    'admissionregistration.k8s.io',
    'apiextensions.k8s.io',
  ]);
  const { KUBECONFIG } = process.env;
  let server: HttpServer;

  beforeAll(async () => {
    serve(api, 'v1', { secrets: 'Secret', configmaps: 'ConfigMap' });
    serve(api, 'batch/v1', { jobs: 'Job' });
    put(api, '', 'namespaces', { metadata: { name: 'research' } });
    put(api, 'batch', 'jobs', LIVE_JOB);
    put(api, '', 'secrets', {
      metadata: { name: 'token', namespace: 'research', uid: 'b' },
      data: { password: 'aHVudGVyMg==' },
    });
    put(api, 'scheduling.volcano.sh', 'queues', {
      metadata: { name: 'research', uid: 'c' },
      spec: { weight: 1, reclaimable: true, capability: { 'nvidia.com/gpu': 16 } },
      status: { state: 'Open' },
    });
    put(api, 'admissionregistration.k8s.io', 'mutatingwebhookconfigurations', {
      metadata: { name: 'volcano' },
      webhooks: [
        {
          name: 'mutatejob.volcano.sh',
          rules: [{ apiGroups: ['batch'], apiVersions: ['v1beta1'], operations: ['UPDATE'], resources: ['jobs'] }],
        },
      ],
    });
    server = await HttpServer.of(api);
    server.writeKubeconfig(join(place.folder, 'config'));
    process.env.KUBECONFIG = join(place.folder, 'config');
    place.write(
      'same.yaml',
      `${QUEUE.replace('gpu: 8', 'gpu: 16')}---${job('train', 'example.com/a:1').replace('template:', 'suspend: true\n  template:')}`,
    );
    place.write('all.yaml', [QUEUE, job('train', 'example.com/a:2'), job('more', 'example.com/a:1')].join('---'));
    place.write('secret.yaml', secret('hunter3'));
    place.write(
      'missing.yaml',
      `${job('train', 'example.com/a:1', 'nowhere')}---\n{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: a, namespace: research}}`,
    );
    place.write(
      'conflict.yaml',
      job('train', 'example.com/a:1').replace('template:', 'suspend: true\n  parallelism: 3\n  template:'),
    );
  });
  afterAll(async () => {
    process.env.KUBECONFIG = KUBECONFIG;
    await server.stop();
    place.remove();
  });
  beforeEach(() => {
    api.trouble = () => undefined;
    api.log.length = 0;
  });
  const diff = (...words: readonly string[]): ReturnType<Workplace['run']> =>
    place.run(['diff', ...words, '--cluster', 'live']);

  it('finds no difference where the server only added its defaults', async () => {
    expect(await diff('same.yaml')).toMatchObject({ status: 0, out: 'Plan\n  no change\n\nno differences\n' });
  });

  it('shows what an apply adds, changes, and removes, and what the server rejects', async () => {
    const { status, out } = await diff('all.yaml');
    expect(out).toContain(
      '~ scheduling.volcano.sh/v1beta1 Queue research\n    ~ spec.capability["nvidia.com/gpu"]: 16 → 8\n',
    );
    expect(out).toContain('~ batch/v1 Job research/train\n');
    expect(out).toContain('    - spec.suspend: true\n');
    expect(out).toContain(
      'error: the API server rejects the update: spec.template.spec.containers[main].image must not change',
    );
    expect(out).toContain('+ batch/v1 Job research/more\n');
    expect(out).toContain('queue research: 0 of 8 nvidia.com/gpu requested, was 0 of 16');
    expect(out).toContain('1 added, 0 removed, 2 changed, 0 unchanged; 1 update rejected');
    expect(status).toBe(1);
  });

  it('sends nothing that changes the cluster', async () => {
    await diff('all.yaml');
    expect(api.writes()).toEqual([]);
  });

  it('names webhooks that may change the objects', async () => {
    expect((await diff('all.yaml')).out).toContain(
      'webhooks that may change the objects: mutatejob.volcano.sh (Job)\n',
    );
  });

  it('shows that a Secret changes, without its values', async () => {
    for (const format of ['text', 'json', 'markdown']) {
      const { out } = await diff('secret.yaml', '--format', format);
      expect(out).toContain('data.password');
      expect(out).not.toMatch(/hunter|aHVudGVy/);
    }
  });

  it('names what the server does not show, and compares everything else', async () => {
    api.trouble = ({ path }) => (/\/(secrets|jobs)\//.test(path) ? 403 : undefined);
    place.write('mixed.yaml', `${secret('x')}---${QUEUE}---${job('train', 'example.com/a:9')}`);
    const { status, out } = await diff('mixed.yaml');
    expect(out).toContain(
      'not compared, because the server did not show them (forbidden): Secret research/token, Job research/train\n',
    );
    expect(out).toContain('0 added, 0 removed, 1 changed, 0 unchanged');
    expect(status).toBe(0);
    const { notRead } = JSON.parse((await diff('mixed.yaml', '--format', 'json')).out) as {
      notRead: readonly object[];
    };
    expect(notRead).toEqual([
      { apiVersion: 'v1', kind: 'Secret', namespace: 'research', name: 'token', why: 'forbidden' },
      { apiVersion: 'batch/v1', kind: 'Job', namespace: 'research', name: 'train', why: 'forbidden' },
    ]);
  });

  it('rejects objects whose namespace or kind does not exist', async () => {
    const { status, out } = await diff('missing.yaml');
    expect(out).toContain(
      'error: namespace nowhere not found\n    fix: Create the namespace, or add it to the manifests.',
    );
    expect(out).toContain('error: the server does not serve RayCluster of ray.io/v1\n');
    expect(status).toBe(1);
  });

  it('names fields that another manager owns, and who applied before', async () => {
    const { status, out } = await diff('conflict.yaml');
    expect(out).toContain('    ~ spec.parallelism: 1 → 3\n    conflict: spec.parallelism is managed by scaler; ');
    expect(status).toBe(0);
    const argo = await diff('conflict.yaml', '--field-manager', 'argocd-controller');
    expect(argo.out).toContain('1 object applied by kubectl: fields that the manifests no longer set stay');
  });

  it('writes Markdown', async () => {
    const { out } = await diff('all.yaml', '--format', 'markdown');
    expect(out).toMatch(/^### Manifests: 1 added, 0 removed, 2 changed/);
    expect(out).toContain('mutatejob.volcano.sh (Job)');
  });

  test.each([
    [['all.yaml', '--field-manager', ''], '--field-manager must have 1 to 128 characters'],
    [
      ['all.yaml', 'same.yaml', '--field-manager', 'a'],
      '--field-manager requires one path and --cluster live[:CONTEXT]',
    ],
  ])('one line for %j', async (words, message) => {
    const { status, err } = await diff(...words);
    expect({ status, err: err.trim() }).toEqual({ status: 2, err: `gantry: ${message}` });
  });
});
