/**
 * `gantry explain` of a running cluster, and of a snapshot of it in a folder without a kubeconfig, say the same.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { gantryIn } from '../gantry-command';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';

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
  const folder = mkdtempSync(join(tmpdir(), 'gantry-explain-'));
  let live: LiveCluster;

  const create = async (path: string, body: JsonObject): Promise<void> => {
    const { status, body: said } = await live.cluster.client.request('POST', path, { body });
    if (status !== 201 && status !== 409) {
      throw new Error(`${path}: ${status} ${JSON.stringify(said)}`);
    }
  };

  /** A snapshot is read without a kubeconfig. */
  const gantry = (words: readonly string[], kubeconfig = ''): string => gantryIn(folder, kubeconfig, ...words).out;

  beforeAll(async () => {
    live = await liveCluster();
    const { client } = live.cluster;
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
    rmSync(folder, { recursive: true });
  });

  it('says of a pod and of a queue the same live and from a snapshot', () => {
    const { kubeconfig } = live.cluster;
    gantry(['snapshot', '-o', 'lab.gantry.json.gz'], kubeconfig);
    // A live cluster is some seconds older than its snapshot.
    const said = (what: string, cluster: string, config?: string): string =>
      gantry(['explain', what, '--cluster', cluster], config).replace(/\(\d+ min\)|for \d+ min/g, '');
    const waits = said(`pod/${NAMESPACE}/waits`, 'live', kubeconfig);
    expect(waits).toBe(said(`pod/${NAMESPACE}/waits`, 'lab.gantry.json.gz'));
    expect(said('queue/default', 'live', kubeconfig)).toBe(said('queue/default', 'lab.gantry.json.gz'));
    expect(waits).toMatch(new RegExp(`^Pod ${NAMESPACE}/waits\\n {2}state +pending\\n`));
    expect(waits).toMatch(new RegExp(`before it +.*${NAMESPACE}/urgent \\(priority 1000\\)`));
    expect(waits).toContain(MESSAGE);
    expect(waits).toContain('kube-scheduler/insufficient-device: ');
  });
});
