/**
 * A cluster in the process of a test that answers all that a snapshot asks: discovery, OpenAPI, metrics, and its objects.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { SNAPSHOT_COLLECTIONS } from '../../src/manifests/snapshot/collections';
import { InProcessApiServer } from './api-server/api-server';

const VERSIONS: Readonly<Record<string, string>> = {
  '': 'v1',
  'kueue.x-k8s.io': 'v1beta2',
  'scheduling.volcano.sh': 'v1beta1',
  'topology.volcano.sh': 'v1alpha1',
};

export function versionIn(group: string): string {
  return VERSIONS[group] ?? 'v1';
}

/** A server without objects that serves all kinds of these groups. */
export function snapshotServer(
  groups: readonly string[] = ['scheduling.k8s.io', 'kueue.x-k8s.io', 'scheduling.volcano.sh', 'apiextensions.k8s.io'],
): InProcessApiServer {
  const server = new InProcessApiServer();
  server.latency = () => 0;
  server.documents.set('/version', { gitVersion: 'v1.34.2', major: '1', minor: '34' });
  server.documents.set('/apis', {
    kind: 'APIGroupList',
    groups: groups.map((name) => ({ name, versions: [{ groupVersion: `${name}/${versionIn(name)}` }] })),
  });
  for (const group of ['', ...groups]) {
    const path = group === '' ? '/api/v1' : `/apis/${group}/${versionIn(group)}`;
    server.documents.set(path, {
      kind: 'APIResourceList',
      resources: SNAPSHOT_COLLECTIONS.filter((one) => one.group === group).flatMap(({ plural, kind }) => [
        { name: plural, kind, namespaced: !CLUSTER_SCOPED.has(plural) },
        { name: `${plural}/status`, kind, namespaced: false },
      ]),
    });
  }
  server.documents.set('/metrics', {
    message:
      'kubernetes_feature_enabled{name="GenericWorkload",stage="ALPHA"} 1\nkubernetes_feature_enabled{name="Other",stage=""} 0\n',
  });
  server.documents.set('/openapi/v3', { paths: { 'api/v1': {} } });
  server.documents.set('/openapi/v3/api/v1', {
    components: {
      schemas: {
        'io.k8s.api.core.v1.Pod': {
          description: 'Pod is a collection of containers.',
          type: 'object',
          properties: { description: { type: 'string', description: 'prose' } },
          'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
        },
      },
    },
  });
  return server;
}

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'namespaces',
  'nodes',
  'persistentvolumes',
  'priorityclasses',
  'customresourcedefinitions',
  'clusterqueues',
  'cohorts',
  'resourceflavors',
  'queues',
]);

export function put(
  server: InProcessApiServer,
  group: string,
  plural: string,
  ...objects: readonly JsonObject[]
): void {
  const version = versionIn(group);
  objects.forEach((object) => server.put(group === '' ? version : `${group}/${version}`, plural, object));
}
