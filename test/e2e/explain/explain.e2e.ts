/**
 * `gantry explain` of a running cluster, and of a snapshot of it in a folder without a kubeconfig, say the same.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';
import { Workplace } from '../../interfaces/cli/fake-terminal';

const NAMESPACE = 'explain-e2e';
const GPU = 'nvidia.com/gpu';
const MESSAGE = `0/1 nodes are available: 1 Insufficient ${GPU}.`;

function pod(name: string, priority: number): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      schedulerName: 'nobody',
      priorityClassName: priority > 0 ? 'explain-e2e-high' : 'explain-e2e-low',
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'example.com/train:1', resources: { limits: { [GPU]: '9' } } }],
    },
  };
}

describeLive('gantry explain', () => {
  const place = new Workplace();
  const before = process.env.KUBECONFIG;
  let live: LiveCluster;

  const create = async (path: string, body: JsonObject): Promise<void> => {
    const { status, body: said } = await live.cluster.client.request('POST', path, { body });
    if (status !== 201 && status !== 409) {
      throw new Error(`${path}: ${status} ${JSON.stringify(said)}`);
    }
  };

  beforeAll(async () => {
    live = await liveCluster();
    const { client } = live.cluster;
    process.env.KUBECONFIG = live.cluster.kubeconfig;
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
    for (const [name, value] of [
      ['explain-e2e-low', 0],
      ['explain-e2e-high', 1000],
    ] as const) {
      await create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value });
    }
    await create('/api/v1/nodes', {
      metadata: { name: 'explain-e2e-a' },
      status: { allocatable: { cpu: '64', memory: '512Gi', pods: '110', [GPU]: '8' } },
    });
    for (const one of [pod('waits', 0), pod('urgent', 1000)]) {
      await create(`/api/v1/namespaces/${NAMESPACE}/pods`, one);
    }
    const { status } = await client.request('PATCH', `/api/v1/namespaces/${NAMESPACE}/pods/waits/status`, {
      body: {
        status: {
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: MESSAGE }],
        },
      },
      contentType: 'application/strategic-merge-patch+json',
    });
    expect(status).toBe(200);
  });

  afterAll(async () => {
    await live.cluster.client.request('DELETE', `/api/v1/namespaces/${NAMESPACE}/pods`, {
      body: { gracePeriodSeconds: 0 },
    });
    await live.cluster.client.request('DELETE', '/api/v1/nodes/explain-e2e-a');
    live.cluster.client.close();
    place.remove();
    if (before === undefined) {
      delete process.env.KUBECONFIG;
    } else {
      process.env.KUBECONFIG = before;
    }
  });

  it('says of a pod and of a queue the same live and from a snapshot', async () => {
    expect((await place.run(['snapshot', '-o', 'lab.gantry.json.gz'])).status).toBe(0);
    const said: Record<string, string> = {};
    for (const cluster of ['live', 'lab.gantry.json.gz']) {
      for (const what of [`pod/${NAMESPACE}/waits`, 'queue/default']) {
        const { status, out } = await place.run(['explain', what, '--cluster', cluster]);
        expect(status).toBe(0);
        // A live cluster is some seconds older than its snapshot.
        said[`${cluster} ${what}`] = out.replace(/\(\d+ min\)|for \d+ min/g, '');
      }
    }
    expect(said[`live pod/${NAMESPACE}/waits`]).toBe(said[`lab.gantry.json.gz pod/${NAMESPACE}/waits`]);
    expect(said['live queue/default']).toBe(said['lab.gantry.json.gz queue/default']);
    const [first = ''] = Object.values(said);
    expect(first).toMatch(new RegExp(`^Pod ${NAMESPACE}/waits\\n {2}state +pending\\n`));
    expect(first).toMatch(new RegExp(`before it +.*${NAMESPACE}/urgent \\(priority 1000\\)`));
    expect(first).toContain(MESSAGE);
    expect(first).toContain('kube-scheduler/insufficient-device: ');
  });
});
