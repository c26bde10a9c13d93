/**
 * Measures a snapshot of a large cluster: 5,000 nodes and 100,000 pods of the size that a server sends, over HTTP on loopback. The server is a
 * process of its own, so that its CPU time does not count.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../src/facts/api/schema';
import { readLiveCluster } from '../src/interfaces/live/main';
import { SNAPSHOT_COLLECTIONS } from '../src/manifests/snapshot/collections';
import { readSnapshot, textOfFile, writeSnapshot } from '../src/manifests/snapshot/cluster-snapshot';
import { readCluster } from '../src/planning/cluster';
import { Random } from '../test/support/random';

const NODES = 5000;
const PODS = 100_000;
/** The argument of the process that is the server. */
const SERVE = 'serve';
const random = new Random(20260131);

function hex(length: number): string {
  return Array.from({ length }, () => Math.floor(random.next() * 16).toString(16)).join('');
}

const uid = (): string => [8, 4, 4, 4, 12].map(hex).join('-');
const time = (): string =>
  new Date(1_767_225_600_000 + Math.floor(random.next() * 2_000_000) * 1000).toISOString().replace('.000', '');

function node(index: number): JsonObject {
  const name = `gpu-${String(index).padStart(4, '0')}.eu.example.com`;
  const resources = { cpu: '192', memory: '2113489772Ki', pods: '110', 'nvidia.com/gpu': '8', 'rdma/hca': '8' };
  return {
    metadata: {
      name,
      uid: uid(),
      creationTimestamp: time(),
      labels: {
        'kubernetes.io/hostname': name,
        'topology.kubernetes.io/zone': `eu-${index % 3}`,
        'topology.kubernetes.io/rack': `rack-${index >> 3}`,
        'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
        ...Object.fromEntries(
          Array.from({ length: 60 }, (_, label) => [`feature.node.kubernetes.io/cpu-f${label}`, 'true']),
        ),
      },
      managedFields: [{ fieldsV1: Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`f:label-${i}`, {}])) }],
    },
    spec: { taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] },
    status: {
      allocatable: resources,
      capacity: resources,
      conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
        type,
        status: type === 'Ready' ? 'True' : 'False',
        lastHeartbeatTime: time(),
        lastTransitionTime: time(),
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
      })),
      images: Array.from({ length: 40 }, () => ({
        names: [`registry.example.com/team/app@sha256:${hex(64)}`],
        sizeBytes: 1e9,
      })),
    },
  };
}

function pod(index: number): JsonObject {
  const job = `train-${hex(5)}-${index >> 4}`;
  const name = `${job}-worker-${index & 15}`;
  return {
    metadata: {
      name,
      namespace: `team-${(index >> 4) % 60}`,
      uid: uid(),
      creationTimestamp: time(),
      labels: {
        'volcano.sh/job-name': job,
        'volcano.sh/task-spec': 'worker',
        'volcano.sh/task-index': String(index & 15),
      },
      annotations: { 'scheduling.k8s.io/group-name': `${job}-${uid()}`, 'volcano.sh/template-uid': `${job}-worker` },
      ownerReferences: [
        { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', name: job, uid: uid(), controller: true },
      ],
      managedFields: [
        { fieldsV1: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f:field-${i}`, { 'f:x': {} }])) },
      ],
    },
    spec: {
      nodeName: `gpu-${String(Math.floor(random.next() * NODES)).padStart(4, '0')}.eu.example.com`,
      schedulerName: 'volcano',
      priority: 1000,
      priorityClassName: 'normal',
      tolerations: [
        { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      containers: [
        {
          name: 'main',
          image: 'registry.example.com/team/train:1.0',
          command: ['torchrun', '--nnodes=16', 'train.py'],
          env: Array.from({ length: 20 }, (_, i) => ({ name: `VARIABLE_${i}`, value: hex(20) })),
          resources: {
            limits: { 'nvidia.com/gpu': '1', cpu: '16', memory: '128Gi' },
            requests: { 'nvidia.com/gpu': '1', cpu: '16', memory: '128Gi' },
          },
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
    status: {
      phase: 'Running',
      startTime: time(),
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          lastTransitionTime: time(),
        }),
      ),
      containerStatuses: [
        {
          name: 'main',
          imageID: `registry.example.com/team/train@sha256:${hex(64)}`,
          containerID: `containerd://${hex(64)}`,
        },
      ],
      podIP: '10.0.0.1',
    },
  };
}

/** Serves the cluster until the parent ends, and tells it the port, and the bytes that were sent when it asks. */
function serve(): void {
  let sent = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://server');
    const reply = (value: unknown): void => {
      const text = JSON.stringify(value);
      sent += text.length;
      response.setHeader('content-type', 'application/json');
      response.end(text);
    };
    const page = (count: number, make: (index: number) => JsonObject): void => {
      const from = Number(url.searchParams.get('continue') ?? 0);
      const to = Math.min(count, from + Number(url.searchParams.get('limit')));
      reply({
        metadata: to < count ? { continue: String(to) } : {},
        items: Array.from({ length: to - from }, (_, index) => make(from + index)),
      });
    };
    switch (url.pathname) {
      case '/version':
        return reply({ gitVersion: 'v1.35.0' });
      case '/apis':
        return reply({ groups: [] });
      case '/api/v1':
        return reply({
          resources: SNAPSHOT_COLLECTIONS.filter(({ group }) => group === '').map(({ plural, kind }) => ({
            name: plural,
            kind,
          })),
        });
      case '/api/v1/nodes':
        return page(NODES, node);
      case '/api/v1/pods':
        return page(PODS, pod);
      default:
        response.statusCode = 404;
        return reply({ kind: 'Status', message: 'not found' });
    }
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => process.send?.(sent));
  process.on('disconnect', () => process.exit());
}

async function main(): Promise<void> {
  const server = fork(__filename, [SERVE]);
  const [port] = (await once(server, 'message')) as [number];
  const folder = mkdtempSync(join(tmpdir(), 'gantry-snapshot-'));
  try {
    const kubeconfig = join(folder, 'config');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'bench',
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `http://127.0.0.1:${port}`,
              'insecure-skip-tls-verify': true,
            },
          },
        ],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [{ name: 'bench', context: { cluster: 'c', user: 'u' } }],
      }),
    );
    const clock = new Clock();
    const { snapshot } = await readLiveCluster({ kubeconfig, takenAt: '2026-01-31T00:00:00Z', takenBy: 'bench' });
    const read = clock.lap();
    const bytes = writeSnapshot(snapshot);
    const written = clock.lap();
    server.send('sent');
    const [sent] = (await once(server, 'message')) as [number];
    const text = textOfFile(bytes, 'bench.gz');
    const parsed = readSnapshot(text, 'bench.gz');
    const again = clock.lap();
    const state = readCluster(text, 'bench.gz');
    const planned = clock.lap();
    console.log(
      [
        `${NODES} nodes, ${PODS} pods; the server sent ${(sent / 1e6).toFixed(0)} MB`,
        `snapshot: read ${read}, write ${written}`,
        `file ${(bytes.length / 1e6).toFixed(1)} MB, text ${(text.length / 1e6).toFixed(0)} MB`,
        `read the file ${again}, make a cluster of it ${planned}: ${state.nodes.length} nodes, ${state.gangs.length} gangs`,
        `${parsed?.gaps.length} gaps; ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
      ].join('\n'),
    );
  } finally {
    server.disconnect();
    rmSync(folder, { recursive: true });
  }
}

/** Seconds since the last lap, of CPU time of this process and by the clock. */
class Clock {
  private cpu = process.cpuUsage();
  private time = performance.now();

  lap(): string {
    const { user, system } = process.cpuUsage(this.cpu);
    const seconds = (performance.now() - this.time) / 1000;
    this.cpu = process.cpuUsage();
    this.time = performance.now();
    return `${((user + system) / 1e6).toFixed(1)} s of CPU time (${seconds.toFixed(1)} s by the clock)`;
  }
}

if (process.argv[2] === SERVE) {
  serve();
} else {
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
