/**
 * Each command on a running control plane, and on a snapshot of it in a folder without kubeconfig and network: they say the same. And the
 * workflow of docs/ci.md, from the nightly snapshot to the comment.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type HistoryEvent, lineOf } from '../../../src/planning/history';
import { gantrySteps } from '../../docs/ci-workflow';
import { gantryIn } from '../gantry-command';
import { describeLive } from '../live-cluster';
import { apply } from '../scheduler/install';
import { Lab } from '../scheduler/lab';
import { node, pod } from '../scheduler/manifests';

const SNAPSHOT = 'lab.gantry.json.gz';
const NODES = ['n-0', 'n-1'];

const train = (parallelism: number): string => `apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default}
spec:
  parallelism: ${parallelism}
  completions: 2
  template:
    spec:
      restartPolicy: Never
      priorityClassName: training
      containers:
        - name: main
          image: registry.example.com/train:1.0
          resources: {limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}}
`;
const QUOTA =
  '{apiVersion: v1, kind: ResourceQuota, metadata: {name: gpus, namespace: default}, spec: {hard: {requests.nvidia.com/gpu: COUNT}}}\n';
const SIZING = `pools: [{name: gpu, max: 4, pricePerHour: 40}]
queues: [{name: research}]
jobs: history.jsonl
targets: [{wait: 1s}]
`;
const APP = `const { App, Chart, ApiObject } = require(${JSON.stringify(require.resolve('cdk8s'))});
const app = new App();
new ApiObject(new Chart(app, 'jobs'), 'train', ${JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'synthesized', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'registry.example.com/train:1.0' }] },
})});
app.synth();
`;

/** Six gangs of eight devices that arrive every 10 minutes and run for 20, as Gantry's scheduler records them. */
function historyMap(): JsonObject {
  const start = 1_767_225_600;
  const events: readonly HistoryEvent[] = [
    { kind: 'segment', at: start, sequence: 1 },
    ...Array.from({ length: 6 }, (_, index): readonly HistoryEvent[] => {
      const [id, at] = [index + 1, start + index * 600];
      const members = { name: `research/train-${id}`, queue: 'research', pods: 1, cpu: 8, devices: 8 };
      return [
        { kind: 'arrive', at, id, gang: { key: members.name, members } },
        { kind: 'start', at, id },
        { kind: 'end', at: at + 1200, id },
      ];
    }).flat(),
  ];
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'gantry-scheduler-history-0', namespace: 'gantry-system' },
    binaryData: { 'history.jsonl.gz': gzipSync(events.map(lineOf).join('\n')).toString('base64') },
  };
}

describeLive('each command on a cluster, and on its snapshot without network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-commands-'));
  let lab: Lab;

  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const live = (...words: readonly string[]): ReturnType<typeof gantryIn> => gantryIn(folder, lab.kubeconfig, ...words);
  const offline = (...words: readonly string[]): ReturnType<typeof gantryIn> => gantryIn(folder, '', ...words);
  /** What the command says of both, which has to be the same. */
  const both = (...words: readonly string[]): string => {
    // A live cluster is some seconds older than its snapshot.
    const [said, ofLive] = [offline(...words, '--cluster', SNAPSHOT), live(...words, '--cluster', 'live')].map(
      ({ out }) => out.replace(/\(\d+ \w+\)/g, ''),
    );
    expect(said).toBe(ofLive);
    return said;
  };

  beforeAll(async () => {
    lab = await Lab.start({ extra: [], customResources: false });
    await lab.create(...NODES.map((name) => node(name, { labels: { 'node-pool': 'gpu' } })));
    // No controller removes the taint of new nodes.
    await Promise.all(NODES.map((name) => lab.patch(`/api/v1/nodes/${name}`, { spec: { taints: null } })));
    await lab.create(pod('waits', { gpus: 9, spec: { schedulerName: 'nobody' } }));
    await apply(lab, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gantry-system' } },
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'training' }, value: 10 },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'gpus', namespace: 'default' },
        spec: { hard: { 'requests.nvidia.com/gpu': '16' } },
      },
      historyMap(),
    ]);
    write('jobs/train.yaml', train(2));
    write('quota/quota.yaml', QUOTA.replace('COUNT', '24'));
    write('sizing.yaml', SIZING);
    live('snapshot', '-o', SNAPSHOT);
  });
  afterAll(async () => {
    await lab.stop();
    rmSync(folder, { recursive: true });
  });

  it('check resolves references in the cluster', () => {
    expect(both('check', 'jobs')).toContain('1 document: no errors');
    write('wrong/train.yaml', train(2).replace('training', 'trainin'));
    const wrong = /status 1: .*PriorityClass "trainin" not found in the manifests or in the cluster/s;
    expect(() => offline('check', 'wrong', '--cluster', SNAPSHOT)).toThrow(wrong);
    expect(() => live('check', 'wrong', '--cluster', 'live')).toThrow(wrong);
  });

  it('plan places the gang', () => {
    expect(both('plan', 'jobs')).toContain('default/train');
  });

  it('synth checks and plans an app', () => {
    write('cdk8s.yaml', 'language: typescript\napp: node main.js\n');
    write('main.js', APP);
    expect(both('synth')).toContain('synthesized');
  });

  it('diff compares what the cluster has', () => {
    // Who manages a field is not in a snapshot.
    for (const { out } of [
      offline('diff', 'quota', '--cluster', SNAPSHOT),
      live('diff', 'quota', '--cluster', 'live'),
    ]) {
      expect(out).toContain('spec.hard["requests.nvidia.com/gpu"]: "16" → 24');
    }
  });

  it('explain says why work waits', () => {
    expect(both('explain', 'pod/default/waits')).toMatch(
      /reason +No node has enough free nvidia\.com\/gpu \(0 of 2\)\./,
    );
  });

  it('history is fetched from the cluster, and size takes it without one', () => {
    expect(live('history', '-o', 'history.jsonl').out).toContain('6 gangs');
    expect(both('size', 'sizing.yaml')).toContain('cheapest mix: 2 gpu');
  });

  it('the workflow of docs/ci.md runs as it is written', () => {
    const [nightly, ...pullRequest] = gantrySteps();
    live(...nightly);
    write('old/manifests/train.yaml', train(1));
    write('new/manifests/train.yaml', train(2));
    for (const step of pullRequest) {
      expect(offline(...step).err).toMatch(/^(?:gantry: wrote \S+\n)?$/);
    }
    expect(readFileSync(join(folder, 'comment.md'), 'utf8')).toContain('0 added, 0 removed, 1 changed');
    expect(readFileSync(join(folder, 'plan.html'), 'utf8')).toContain('<!doctype html>');
  });
});
