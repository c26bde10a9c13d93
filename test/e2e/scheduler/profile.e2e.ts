/**
 * A plan that follows a profile of kube-scheduler fills as many nodes as kube-scheduler does with that profile.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { clusterOfObjects, planOf } from '../../../src/planning/cluster';
import { type ProcessRecord, stopProcess } from '../control-plane/process';
import { describeLive } from '../live-cluster';
import { manifestOf } from '../../support/manifest-of';
import { startKubeScheduler } from './kube-scheduler';
import { Lab, nameOf } from './lab';
import { node, pod } from './manifests';

const RESOURCES = [{ name: 'nvidia.com/gpu', weight: 5 }, { name: 'cpu' }, { name: 'memory' }];
const shaped = (...scores: readonly number[]): JsonObject => ({
  type: 'RequestedToCapacityRatio',
  requestedToCapacityRatio: { shape: scores.map((score, index) => ({ utilization: index * 100, score })) },
});
const STRATEGIES: Readonly<Record<string, JsonObject>> = {
  most: { type: 'MostAllocated' },
  least: { type: 'LeastAllocated' },
  rising: shaped(0, 10),
  falling: shaped(10, 0),
};
const PROFILES = Object.entries(STRATEGIES).map(([schedulerName, strategy]) => ({
  schedulerName,
  pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy: { ...strategy, resources: RESOURCES } } }],
}));
const NODES = ['n-0', 'n-1', 'n-2', 'n-3'].map((name) => node(name, { cpu: 64 }));
const CONFIGURATION = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  profiles: PROFILES,
};

/** Nothing removes the taint of new nodes here. */
const ANY_TAINT = [{ operator: 'Exists' }];

/** Pods on each node that has any, the fullest first. */
function load(nodes: readonly string[]): readonly number[] {
  const counts = new Map<string, number>();
  nodes.forEach((name) => counts.set(name, (counts.get(name) ?? 0) + 1));
  return [...counts.values()].sort((a, b) => b - a);
}

describeLive('a profile of kube-scheduler', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-profile-'));
  let lab: Lab;
  let scheduler: ProcessRecord;

  beforeAll(async () => {
    lab = await Lab.start({ extra: [], customResources: false });
    const config = join(folder, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        ...CONFIGURATION,
        clientConnection: { kubeconfig: lab.kubeconfig, qps: 1000, burst: 1000 },
        leaderElection: { leaderElect: false },
      }),
    );
    scheduler = startKubeScheduler(config, folder);
    await lab.create(...NODES);
  });
  afterAll(async () => {
    await stopProcess(scheduler);
    await lab.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.keys(STRATEGIES))('%s: the plan uses as many nodes for four pods', async (schedulerName) => {
    const pods = ['a', 'b', 'c', 'd'].map((name) =>
      pod(`${schedulerName}-${name}`, { gpus: 2, cpu: '16', spec: { schedulerName, tolerations: ANY_TAINT } }),
    );
    const configMap: JsonObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'scheduler-config', namespace: 'kube-system' },
      data: { 'scheduler-config.yaml': JSON.stringify(CONFIGURATION, undefined, 2) },
    };
    const { view } = planOf(new ManifestSet(pods.map(manifestOf)), clusterOfObjects([...NODES, configMap], 'lab'));
    expect(view.notes.join()).toContain(`profile ${schedulerName} of kube-scheduler`);
    const planned = load(view.gangs.flatMap(({ where }) => where.map(([row]) => view.nodes[row].name)));

    for (const one of pods) {
      await lab.create(one);
      await lab.until(`a node for ${schedulerName}`, async () => Object.hasOwn(await lab.places(), nameOf(one)));
    }
    const places = await lab.places();
    expect(planned).toEqual(load(Object.values(places)));
    await Promise.all(Object.keys(places).map((name) => lab.delete(`/api/v1/namespaces/default/pods/${name}`)));
    await lab.until('no pod is left', async () => (await lab.pods()).length === 0);
  });
});
