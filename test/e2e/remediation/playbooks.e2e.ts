/**
 * The five kinds of contention of docs/contention.md, each from its symptom on a host to the condition or report, the action, and the recovery:
 * the node agent on files of a host, and remediation, as they are installed, on a live server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Duration } from 'cdk8s';
import { AGENT_BUNDLE, REMEDIATION_BUNDLE, writeBundle } from '../../../projen/runtime/bundle';
import { type JsonObject } from '../../../src/facts/api/schema';
import { NodeAgent, NODE_AGENT_ALERTS } from '../../../src/constructs/agent';
import { Remediation, type RemediationProps, type RemediationRule } from '../../../src/constructs/remediation';
import { remediationSettings } from '../../../src/constructs/remediation/configuration';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { fakeServer, type FakeServer } from '../../runtime/fake-server';
import { dcgmText, HostFolder, pressure, rdmaPort, unifiedPod } from '../../runtime/agent/host';
import { describeLive } from '../live-cluster';
import { apply, kubeconfigFor, rendered, tokenOf } from '../scheduler/install';
import { Lab } from '../scheduler/lab';
import { node, pod } from '../scheduler/manifests';
import { FakeKubelet } from './fake-kubelet';
import { type LogLine, NAME, NAMESPACE, RemediationProcess } from './process';

const AGENT = 'gantry-node-agent';
const LIMIT = 120_000;

/** The rules of docs/contention.md with waits of a second. */
const RULES: readonly RemediationRule[] = [
  { name: 'gpu-memory', cause: { report: { freeMemoryBelowMiB: 4096 } }, actions: ['taint'] },
  { name: 'cpu-throttled', cause: { condition: 'CpuThrottled' }, actions: ['taint'] },
  { name: 'memory-stalled', cause: { condition: 'MemoryPressureStalled' }, actions: ['taint'] },
  { name: 'rdma-degraded', cause: { condition: 'RdmaDegraded' }, actions: ['taint', 'move'] },
  {
    name: 'accelerators-missing',
    cause: { condition: 'AcceleratorsMissing' },
    actions: ['taint', 'restart-device-plugin'],
  },
].map((rule) => ({ after: Duration.seconds(1), ...rule }) as RemediationRule);
const PROPS: RemediationProps = {
  mode: 'active',
  rules: RULES,
  budget: { maxUnavailablePercent: 50 },
  healthyTime: Duration.seconds(1),
  monitoring: false,
};

describeLive('the five kinds of contention, from the symptom to the recovery', () => {
  let lab: Lab;
  let host: HostFolder;
  let kubelet: FakeKubelet;
  let exporter: FakeServer;
  let remediation: RemediationProcess;
  /** What was started, in this order. */
  const stops: (() => unknown)[] = [];
  const agentLog: LogLine[] = [];
  let used = [40_000, 40_000];
  let throttled = 0;
  let counts = [0, 0];

  const theNode = async (): Promise<JsonObject> => (await lab.get('/api/v1/nodes/n-0')) ?? {};
  const isTainted = async (): Promise<boolean> =>
    asArray(asObject((await theNode()).spec).taints).some((taint) => asObject(taint).key === 'gantry.dev/unhealthy');
  const statusOf = async (type: string): Promise<unknown> =>
    asArray(asObject((await theNode()).status).conditions)
      .map(asObject)
      .find((condition) => condition.type === type)?.status;
  /** Until the page says it of the node. */
  const shown = (text: string): Promise<void> =>
    lab.until(`the page shows "${text}"`, async () => (await remediation.get('/')).text.includes(text), LIMIT);
  const tainted = (): Promise<void> => lab.until('the node is tainted', isTainted, LIMIT);
  const given = (): Promise<void> => lab.until('the node is given back', async () => !(await isTainted()), LIMIT);
  const condition = (type: string, status: string): Promise<void> =>
    lab.until(`${type} is ${status}`, async () => (await statusOf(type)) === status, LIMIT);

  beforeAll(async () => {
    lab = await Lab.start({ customResources: false });
    await lab.create(node('n-0'), node('n-1'));
    await lab.nodesReady(2);
    await writeBundle(AGENT_BUNDLE);
    await writeBundle(REMEDIATION_BUNDLE);
    await apply(lab, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gpu-operator' } },
      ...rendered((chart) => {
        new NodeAgent(chart, 'agent', { monitoring: false });
        new Remediation(chart, 'remediation', PROPS);
      }),
    ]);
    host = new HostFolder().write({
      ...unifiedPod(0, 0),
      ...rdmaPort('mlx5_0'),
      'proc/pressure/memory': pressure(1, 0),
    });
    stops.push(() => host.remove());
    kubelet = await FakeKubelet.start(host.path, 8);
    stops.push(() => kubelet.stop());
    exporter = await fakeServer((_, response) => {
      response.end(dcgmText(used));
    });
    stops.push(() => exporter.close());
    // The kernel counts on: a hundred periods of a container in each second.
    const counting = setInterval(() => {
      counts = [counts[0] + 100, counts[1] + throttled];
      host.write(unifiedPod(counts[0], counts[1]));
    }, 1000);
    stops.push(() => clearInterval(counting));
    let agentPod: JsonObject | undefined;
    await lab.until('an agent pod', async () => {
      const pods = await lab.list(`/api/v1/namespaces/${AGENT}/pods`);
      agentPod = pods.find(({ spec }) => asObject(spec).nodeName === 'n-0');
      return agentPod !== undefined;
    });
    const agentConfig = kubeconfigFor(lab, await tokenOf(lab, AGENT, AGENT, agentPod));
    const agent = spawn(
      process.execPath,
      [
        resolve(__dirname, '../../..', AGENT_BUNDLE.output),
        '--node=n-0',
        `--kubeconfig=${agentConfig}`,
        '--interval=1',
        '--port=0',
        `--host-root=${host.path}`,
        `--exporter=nvidia=${exporter.url}`,
        '--expect-devices=nvidia.com/gpu=8',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    createInterface({ input: agent.stdout }).on('line', (line) => agentLog.push(JSON.parse(line) as LogLine));
    stops.push(async () => {
      agent.kill('SIGTERM');
      await once(agent, 'exit');
    });
    remediation = await RemediationProcess.start({
      kubeconfig: kubeconfigFor(lab, await tokenOf(lab, NAMESPACE, NAME)),
      settings: remediationSettings('test', PROPS).value,
    });
    stops.push(() => remediation.stop());
    await condition('AcceleratorsMissing', 'False');
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) {
      await stop();
    }
    await lab.stop();
  });

  it('GPU memory: a device with little free memory keeps new pods away until memory is free', async () => {
    used = [79_000, 40_000];
    await tainted();
    await shown('a device has 2559 MiB of free memory, less than 4096 MiB');
    used = [40_000, 40_000];
    await given();
    await shown('no cause for');
  });

  it('CPU: a container that reaches its limit', async () => {
    throttled = 60;
    await condition('CpuThrottled', 'True');
    await tainted();
    await shown('condition CpuThrottled is True');
    throttled = 0;
    await condition('CpuThrottled', 'False');
    await given();
  });

  it('host memory: all tasks wait for memory', async () => {
    host.write({ 'proc/pressure/memory': pressure(60, 40) });
    await condition('MemoryPressureStalled', 'True');
    await tainted();
    await shown('condition MemoryPressureStalled is True');
    host.write({ 'proc/pressure/memory': pressure(1, 0) });
    await condition('MemoryPressureStalled', 'False');
    await given();
  });

  it('RDMA: a gang leaves the node whose port is down', async () => {
    await lab.create(pod('train-0', { gang: 'train', gpus: 8, spec: { nodeName: 'n-0', schedulerName: 'none' } }));
    await lab.until('it runs', async () => asObject((await lab.pods())[0]?.status).phase === 'Running', LIMIT);
    host.write(rdmaPort('mlx5_0', { state: '1: DOWN' }));
    await condition('RdmaDegraded', 'True');
    await tainted();
    await lab.until('the gang is evicted', async () => (await lab.pods()).length === 0, LIMIT);
    await shown('evicts default/gang/train');
    host.write(rdmaPort('mlx5_0'));
    await condition('RdmaDegraded', 'False');
    await given();
  });

  it('devices: 7 of 8 fire an alert, taint the node, and recreate the device plugin, which brings the device back', async () => {
    await lab.until(
      'the service account of the device plugin',
      async () => (await lab.get('/api/v1/namespaces/gpu-operator/serviceaccounts/default')) !== undefined,
    );
    const labels = { app: 'nvidia-device-plugin-daemonset' };
    const plugin = pod('plugin', { gpus: 0, labels, spec: { nodeName: 'n-0', schedulerName: 'none' } });
    const { status } = await lab.cluster.client.request('POST', '/api/v1/namespaces/gpu-operator/pods', {
      body: { ...plugin, metadata: { ...asObject(plugin.metadata), namespace: 'gpu-operator' } },
    });
    expect(status).toBe(201);
    kubelet.devices = 7;
    await kubelet.stopPlugin();
    await condition('AcceleratorsMissing', 'True');
    await tainted();
    // The agent may have looked between the loss of the device and that of the plugin.
    await lab.until(
      'the message says all',
      async () => {
        const found = asArray(asObject((await theNode()).status).conditions).map(asObject);
        return asString(found.find(({ type }) => type === 'AcceleratorsMissing')?.message)!.includes(
          '7 of 8 nvidia.com/gpu are allocatable; the PCI bus has 0; nvidia-gpu.sock has vanished',
        );
      },
      LIMIT,
    );
    // The alert reads this metric.
    const port = String(agentLog.find(({ msg }) => msg === 'started')?.port);
    await lab.until(
      'the metric says it',
      async () =>
        /^gantry_node_condition\{type="AcceleratorsMissing",status="True"\} 1$/m.test(
          await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
        ),
      LIMIT,
    );
    const alert = NODE_AGENT_ALERTS.find(({ alert: name }) => name === 'NodeAcceleratorsMissing');
    expect(alert?.expr).toContain('gantry_node_condition{type="AcceleratorsMissing", status="True"}');
    await lab.until(
      'the device plugin is recreated',
      async () => (await lab.get('/api/v1/namespaces/gpu-operator/pods/plugin')) === undefined,
      LIMIT,
    );
    kubelet.devices = 8;
    await condition('AcceleratorsMissing', 'False');
    await given();
  });
});
