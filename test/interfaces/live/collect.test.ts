import { type JsonObject } from '../../../src/facts/api/schema';
import { collect, operatorOf } from '../../../src/interfaces/live/collect';
import { anonymous } from '../../../src/manifests/snapshot/anonymous';
import {
  type ClusterSnapshot,
  readSnapshot,
  textOfFile,
  writeSnapshot,
} from '../../../src/manifests/snapshot/cluster-snapshot';
import { asObject } from '../../../src/manifests/read';
import { put, snapshotServer } from '../../support/snapshot-world';

const OPTIONS = { name: 'prod', takenAt: '2026-01-31T12:00:00Z', takenBy: '1.0.0' };

function pod(name: string, more: JsonObject = {}): JsonObject {
  return {
    metadata: {
      name,
      namespace: 'research',
      annotations: {
        'scheduling.k8s.io/group-name': 'train',
        'kubectl.kubernetes.io/last-applied-configuration': '{"password":"hunter2"}',
      },
      managedFields: [{ manager: 'kubectl' }],
    },
    spec: {
      nodeName: 'gpu-1',
      containers: [
        {
          name: 'main',
          image: 'registry.example.com/kueue/kueue:v0.14.1',
          env: [{ name: 'DATABASE_PASSWORD', value: 'hunter2' }],
          command: ['train', '--token=hunter2'],
          resources: { limits: { 'nvidia.com/gpu': '8' } },
        },
      ],
      volumes: [{ name: 'token', secret: { secretName: 'hunter2' } }],
    },
    status: { phase: 'Running', startTime: '2026-01-31T11:00:00Z', podIP: '10.0.0.1' },
    ...more,
  };
}

function itemsOf(snapshot: ClusterSnapshot, kind: string): readonly JsonObject[] {
  return snapshot.lists.filter((list) => list.kind === kind).flatMap(({ items }) => items);
}

describe('a snapshot', () => {
  it('contains what the server has, with what places work', async () => {
    const server = snapshotServer();
    put(server, '', 'namespaces', { metadata: { name: 'research', labels: { team: 'a' } } });
    put(server, '', 'nodes', {
      metadata: { name: 'gpu-1' },
      status: { allocatable: { 'nvidia.com/gpu': '8' }, images: [] },
    });
    put(server, '', 'pods', pod('one'), pod('over', { status: { phase: 'Succeeded' } }));

    const snapshot = await collect(server.client, OPTIONS);

    expect(snapshot).toMatchObject({ serverVersion: 'v1.34.2', featureGates: { GenericWorkload: true, Other: false } });
    expect(itemsOf(snapshot, 'Node')).toMatchObject([{ status: { allocatable: { 'nvidia.com/gpu': '8' } } }]);
    expect(itemsOf(snapshot, 'Pod').map(({ metadata }) => asObject(metadata).name)).toEqual(['one']);
    expect(snapshot.operators).toEqual([{ name: 'kueue', version: 'v0.14.1', namespace: 'research' }]);
    expect(snapshot.schemas).toMatchObject({
      'io.k8s.api.core.v1.Pod': { properties: { description: { type: 'string' } } },
    });
    expect(JSON.stringify(snapshot.schemas)).not.toContain('collection of containers');
  });

  it('asks for no Secret, and keeps no environment, command, or foreign annotation of pods', async () => {
    const server = snapshotServer();
    put(server, '', 'pods', pod('one'));
    put(server, '', 'secrets', { metadata: { name: 'hunter2', namespace: 'research' }, data: { a: 'hunter2' } });

    const text = writeSnapshot(await collect(server.client, OPTIONS), { compressed: false }).toString();

    expect(text).not.toContain('hunter2');
    expect(text).toContain('scheduling.k8s.io/group-name');
    expect(server.log.filter(({ path }) => /secret/i.test(path))).toEqual([]);
  });

  it('keeps which claim was made for the extended resources of a pod', async () => {
    const server = snapshotServer();
    const status = { phase: 'Running', extendedResourceClaimStatus: { resourceClaimName: 'one-extended' } };
    put(server, '', 'pods', pod('one', { status }));
    expect(itemsOf(await collect(server.client, OPTIONS), 'Pod')).toMatchObject([{ status }]);
  });

  it('keeps events about waiting work, the newest of each object, and none that quote a container', async () => {
    const server = snapshotServer();
    const event = (name: string, reason: string, minute: number, message = reason): JsonObject => ({
      metadata: { name, namespace: 'research', annotations: { a: 'hunter2' } },
      involvedObject: { kind: 'Pod', namespace: 'research', name: 'one', uid: 'hunter2' },
      reason,
      message,
      source: { component: 'default-scheduler', host: 'hunter2' },
      firstTimestamp: '2026-01-31T11:00:00Z',
      lastTimestamp: `2026-01-31T11:${10 + minute}:00Z`,
      count: minute,
    });
    put(
      server,
      '',
      'events',
      event('pulled', 'Failed', 1, 'hunter2'),
      event('mounted', 'FailedMount', 1, 'hunter2'),
      ...Array.from({ length: 8 }, (_, index) => event(`e${index}`, 'FailedScheduling', index + 1, 'x'.repeat(3000))),
      { ...event('odd', 'FailedScheduling', 1), involvedObject: 'one' },
      { ...event('secret', 'FailedScheduling', 9), involvedObject: { kind: 'Secret', name: 'hunter2' } },
    );
    const snapshot = await collect(server.client, OPTIONS);
    const kept = itemsOf(snapshot, 'Event');
    expect(kept.map(({ metadata }) => asObject(metadata).name)).toEqual(['e7', 'e6', 'e5', 'e4', 'e3']);
    expect(kept[0]).toEqual({
      metadata: { name: 'e7', namespace: 'research' },
      involvedObject: { kind: 'Pod', namespace: 'research', name: 'one' },
      reason: 'FailedScheduling',
      message: 'x'.repeat(1024),
      count: 8,
      reportingComponent: 'default-scheduler',
      firstTimestamp: '2026-01-31T11:00:00Z',
      lastTimestamp: '2026-01-31T11:18:00Z',
    });
    expect(JSON.stringify(snapshot.lists)).not.toContain('hunter2');
    expect(JSON.stringify(anonymous(snapshot).lists)).not.toMatch(/xxx|research/);
  });

  it('reads large lists in pages, and begins again if the server forgets their version', async () => {
    const server = snapshotServer();
    put(server, '', 'pods', ...Array.from({ length: 1203 }, (_, index) => pod(`pod-${index}`)));
    let gone = 1;
    server.trouble = ({ path }) => (path.endsWith('/pods') && gone-- === 0 ? 410 : undefined);

    const snapshot = await collect(server.client, OPTIONS);

    expect(itemsOf(snapshot, 'Pod')).toHaveLength(1203);
    expect(new Set(itemsOf(snapshot, 'Pod').map(({ metadata }) => asObject(metadata).name)).size).toBe(1203);
    expect(server.log.filter(({ path }) => path.endsWith('/pods'))).toHaveLength(5);
  });

  it('names what is forbidden, and reads everything else', async () => {
    const server = snapshotServer();
    put(server, '', 'nodes', { metadata: { name: 'gpu-1' } });
    server.trouble = ({ path }) => (/\/pods$|\/metrics$|clusterqueues$/.test(path) ? 403 : undefined);

    const snapshot = await collect(server.client, OPTIONS);

    expect(snapshot.gaps).toEqual(
      expect.arrayContaining([
        { what: 'pods', why: 'forbidden' },
        { what: 'clusterqueues.kueue.x-k8s.io', why: 'forbidden' },
        { what: 'feature gates', why: 'forbidden' },
      ]),
    );
    expect(itemsOf(snapshot, 'Node')).toHaveLength(1);
  });

  it('reads the ConfigMaps of the table where the operators run, and those that are named', async () => {
    const server = snapshotServer();
    const map = (namespace: string, name: string): JsonObject => ({
      metadata: { namespace, name },
      data: { key: name },
    });
    put(server, '', 'pods', pod('one'));
    put(
      server,
      '',
      'configmaps',
      map('research', 'kueue-manager-config'),
      map('research', 'mine'),
      map('research', 'other'),
    );

    const snapshot = await collect(server.client, { ...OPTIONS, configMaps: ['research/mine', 'research/none'] });

    expect(itemsOf(snapshot, 'ConfigMap').map(({ data }) => asObject(data).key)).toEqual([
      'kueue-manager-config',
      'mine',
    ]);
    expect(snapshot.gaps).toContainEqual({ what: 'configmap research/none', why: 'not found' });
  });

  it('fails at once if the server cannot be reached', async () => {
    const server = snapshotServer();
    server.kill();
    await expect(collect(server.client, OPTIONS)).rejects.toThrow('ECONNREFUSED');
  });

  it('survives a server that answers anything', async () => {
    const server = snapshotServer();
    server.documents.set('/api/v1/pods', { items: [null, 3, 'x', { metadata: 4, spec: 'y', status: [] }] });
    server.documents.set('/api/v1/nodes', { items: 'none' });
    server.documents.set('/openapi/v3', { paths: { 'api/v1': 3, '../../secrets': {} } });

    const snapshot = await collect(server.client, OPTIONS);

    expect(itemsOf(snapshot, 'Pod')).toHaveLength(1);
    expect(snapshot.gaps.map(({ what }) => what)).toContain('nodes');
    expect(server.log.filter(({ path }) => path.includes('..'))).toEqual([]);
  });

  it('has the same bytes for the same cluster, and no time in its header', async () => {
    const bytes = async (names: readonly string[]): Promise<Buffer> => {
      const server = snapshotServer();
      put(
        server,
        '',
        'nodes',
        ...names.map((name) => ({ metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' } })),
      );
      return writeSnapshot(await collect(server.client, OPTIONS));
    };
    const one = await bytes(['a', 'b', 'c']);
    expect((await bytes(['c', 'a', 'b'])).equals(one)).toBe(true);
    expect([...one.subarray(4, 10)]).toEqual([0, 0, 0, 0, one[8], 255]);
    const snapshot = readSnapshot(textOfFile(one, 'prod.gz'), 'prod.gz')!;
    expect(writeSnapshot(snapshot).equals(one)).toBe(true);
  });
});

describe('an anonymized snapshot', () => {
  it('has none of the names, and the same name for the same name', async () => {
    const server = snapshotServer();
    put(server, '', 'namespaces', { metadata: { name: 'moonshot', labels: { 'acme.example/owner': 'jane' } } });
    put(server, '', 'nodes', {
      metadata: {
        name: 'acme-gpu-1',
        labels: {
          'kubernetes.io/hostname': 'acme-gpu-1',
          'acme.example/rack': 'oslo-7',
          'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
        },
      },
    });
    put(server, 'scheduling.volcano.sh', 'queues', { metadata: { name: 'apollo' }, spec: { parent: 'root' } });
    put(server, '', 'pods', {
      metadata: { name: 'apollo-run-0', namespace: 'moonshot', labels: { 'volcano.sh/queue-name': 'apollo' } },
      spec: {
        nodeName: 'acme-gpu-1',
        nodeSelector: { 'acme.example/rack': 'oslo-7' },
        containers: [{ name: 'secretproject' }],
      },
      status: { conditions: [{ type: 'PodScheduled', message: '0/1 nodes: acme-gpu-1' }] },
    });

    const snapshot = anonymous(await collect(server.client, OPTIONS));
    const text = JSON.stringify(snapshot);

    expect(text).not.toMatch(/moonshot|acme|oslo|apollo|jane|secretproject/);
    expect(text).toContain('NVIDIA-H100-80GB-HBM3');
    const [node] = itemsOf(snapshot, 'Node');
    const [one] = itemsOf(snapshot, 'Pod');
    const labels = asObject(asObject(node.metadata).labels);
    expect(asObject(one.spec).nodeName).toBe(asObject(node.metadata).name);
    expect(labels['kubernetes.io/hostname']).toBe(asObject(node.metadata).name);
    expect(Object.entries(labels)).toEqual(
      expect.arrayContaining(Object.entries(asObject(asObject(one.spec).nodeSelector))),
    );
    expect(asObject(asObject(one.metadata).labels)['volcano.sh/queue-name']).toBe(
      asObject(itemsOf(snapshot, 'Queue')[0].metadata).name,
    );
  });
});

test.each([
  ['registry.k8s.io/kueue/kueue:v0.14.1', { name: 'kueue', version: 'v0.14.1' }],
  ['localhost:5000/volcanosh/vc-scheduler@sha256:00', { name: 'volcano', version: '' }],
  ['quay.io/kuberay/operator:v1.5.0', { name: 'kuberay', version: 'v1.5.0' }],
  ['example.com/my/operator:v1', undefined],
  ['constructor', undefined],
])('the operator of the image %s', (image, operator) => {
  expect(operatorOf(image)).toEqual(operator);
});
