/**
 * NodeAgent as it is installed: its objects on a live server, its program on files of a host, and what the token of its pod can change.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { AGENT_BUNDLE, writeBundle } from '../../../projen/runtime/bundle';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { NodeAgent } from '../../../src/constructs/agent';
import { AGENT_RULES } from '../../../src/constructs/agent/node-agent';
import { fakeServer, type FakeServer } from '../../runtime/fake-server';
import { dcgmText, HostFolder, pressure, rdmaPort, unifiedPod } from '../../runtime/agent/host';
import { ApiClient } from '../control-plane/api-client';
import { describeLive } from '../live-cluster';
import { askedBy, granted } from '../scheduler/audit';
import { apply, kubeconfigFor, rendered, tokenOf } from '../scheduler/install';
import { Lab } from '../scheduler/lab';
import { node } from '../scheduler/manifests';

const NAMESPACE = 'gantry-node-agent';
const ACCOUNT = 'gantry-node-agent';
const CAPACITY = 'gantry.dev/accelerator-capacity';

describeLive('the node agent as it is installed', () => {
  let lab: Lab;
  let host: HostFolder;
  let exporter: FakeServer;
  let token: string;
  let kubeconfig: string;
  let used = [0, 40_000];
  const running: ChildProcess[] = [];

  const nodeNamed = async (name: string): Promise<JsonObject> => (await lab.get(`/api/v1/nodes/${name}`)) ?? {};
  const annotationsOf = async (name: string): Promise<JsonObject> =>
    asObject(asObject((await nodeNamed(name)).metadata).annotations);
  const statusOf = async (name: string, type: string): Promise<string | undefined> =>
    asArray(asObject((await nodeNamed(name)).status).conditions)
      .map(asObject)
      .filter((condition) => condition.type === type)
      .map(({ status, reason }) => `${asString(status)} ${asString(reason)}`)[0];

  /** The bundle in a process of its own, as in a pod. */
  function start(name: string): void {
    const flags = ['--interval=1', '--port=0', `--host-root=${host.path}`, `--exporter=nvidia=${exporter.url}`];
    const program = resolve(__dirname, '../../..', AGENT_BUNDLE.output);
    const stdio = ['ignore', 'ignore', 'inherit'] as const;
    running.push(
      spawn(process.execPath, [program, '--node', name, '--kubeconfig', kubeconfig, ...flags], { stdio: [...stdio] }),
    );
  }

  beforeAll(async () => {
    lab = await Lab.start({ audit: true, customResources: false });
    await lab.create(node('n-0'), node('n-1'));
    await lab.nodesReady(2);
    await apply(lab, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gpu-operator' } },
      ...rendered((chart) => new NodeAgent(chart, 'agent', { monitoring: false })),
    ]);
    host = new HostFolder().write({
      ...unifiedPod(100, 0),
      ...rdmaPort('mlx5_0'),
      'proc/pressure/memory': pressure(1, 0),
    });
    await writeBundle(AGENT_BUNDLE);
    exporter = await fakeServer((_, response) => {
      response.end(dcgmText(used));
    });
    let pod: JsonObject | undefined;
    await lab.until('an agent pod on each node', async () => {
      const pods = await lab.list(`/api/v1/namespaces/${NAMESPACE}/pods`);
      pod = pods.find(({ spec }) => asObject(spec).nodeName === 'n-0');
      return pods.length === 2 && pod !== undefined;
    });
    token = await tokenOf(lab, NAMESPACE, ACCOUNT, pod);
    kubeconfig = kubeconfigFor(lab, token);
  });
  afterEach(async () => {
    for (const program of running.splice(0)) {
      program.kill('SIGTERM');
      expect((await once(program, 'exit'))[0]).toBe(0);
    }
  });
  afterAll(async () => {
    await exporter.close();
    host.remove();
    await lab.stop();
  });

  it('reports to its node: from a fault to the condition and the event, and back', async () => {
    start('n-0');
    await lab.until('a report', async () => (await annotationsOf('n-0'))[CAPACITY] !== undefined);
    expect(await statusOf('n-0', 'RdmaDegraded')).toBe('False PortsHealthy');
    expect(await statusOf('n-0', 'Ready')).toMatch(/^True /);
    host.write(rdmaPort('mlx5_0', { state: '1: DOWN' }));
    await lab.until('the port is down', async () => (await statusOf('n-0', 'RdmaDegraded')) === 'True PortDown');
    await lab.until('an event says it', async () => {
      const events = await lab.list('/apis/events.k8s.io/v1/namespaces/default/events');
      return events.some(({ note }) => note === 'RdmaDegraded: RDMA ports are no longer active: mlx5_0/1');
    });
    host.write(rdmaPort('mlx5_0'));
    await lab.until('the port is up', async () => (await statusOf('n-0', 'RdmaDegraded')) === 'False PortsHealthy');
  });

  it('a change of free memory reaches the Node', async () => {
    start('n-0');
    used = [70_000, 40_000];
    await lab.until('the new report', async () => {
      const { devices } = JSON.parse(asString((await annotationsOf('n-0'))[CAPACITY]) ?? '{}') as JsonObject;
      return asObject(asArray(devices)[0]).freeMemoryMiB === 11_559;
    });
  });

  it('cannot report to another node', async () => {
    start('n-1');
    await lab.until('a refused patch', () => Promise.resolve(refusedPatches().length > 0));
    expect((await annotationsOf('n-1'))[CAPACITY]).toBeUndefined();
    expect(await statusOf('n-1', 'RdmaDegraded')).toBeUndefined();
  });

  it.each<readonly [string, string, JsonObject, string]>([
    ['a label', 'nodes/n-0/status', { metadata: { labels: { zone: 'b' } } }, 'must not change labels'],
    [
      'an annotation of others',
      'nodes/n-0/status',
      { metadata: { annotations: { a: 'b' } } },
      'its own annotations only',
    ],
    [
      'readiness',
      'nodes/n-0/status',
      { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      'its own conditions only',
    ],
    ['capacity', 'nodes/n-0/status', { status: { capacity: { 'nvidia.com/gpu': '99' } } }, 'what the kubelet reports'],
    ['a taint', 'nodes/n-0', { spec: { unschedulable: true } }, 'cannot patch resource "nodes"'],
    ['a pod', 'namespaces/default/pods/p', { metadata: { labels: { a: 'b' } } }, 'cannot patch resource "pods"'],
  ])('its token cannot change %s', async (_, path, body, message) => {
    const client = new ApiClient({ ...lab.cluster.client.endpoint, token });
    const reply = await client.request('PATCH', `/api/v1/${path}`, {
      body,
      contentType: 'application/strategic-merge-patch+json',
    });
    expect([reply.status >= 400, asString(reply.body.message)]).toEqual([true, expect.stringContaining(message)]);
  });

  it('its program needs every right that it has, and no other', () => {
    const user = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;
    const used = askedBy(user, lab.cluster.auditLog).filter(({ status }) => status < 300);
    expect(new Set(used.map(({ right }) => right))).toEqual(granted(AGENT_RULES));
  });

  function refusedPatches(): readonly unknown[] {
    const user = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;
    return askedBy(user, lab.cluster.auditLog).filter(
      ({ status, uri }) => (status === 403 || status === 422) && uri.startsWith('/api/v1/nodes/n-1/status'),
    );
  }
});
