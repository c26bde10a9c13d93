/**
 * `gantry snapshot` with the documented ClusterRole: which of its rights the command uses, according to the audit log of the server.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type ClusterRole } from '../../../src/facts/api/types/rbac.authorization.k8s.io/v1';
import { snapshotClusterRole } from '../../../src/manifests/snapshot/cluster-role';
import { readSnapshot, textOfFile } from '../../../src/manifests/snapshot/cluster-snapshot';
import { SNAPSHOT_COLLECTIONS } from '../../../src/manifests/snapshot/collections';
import { applyCustomResources } from '../control-plane/custom-resources';
import { gantryIn } from '../gantry-command';
import { describeLive } from '../live-cluster';
import { askedBy, granted } from '../scheduler/audit';
import { apply, kubeconfigFor, tokenOf } from '../scheduler/install';
import { Lab } from '../scheduler/lab';
import { node, pod } from '../scheduler/manifests';

const ACCOUNT = { kind: 'ServiceAccount', name: 'snapshot', namespace: 'default' };
/** Groups that the API server itself serves. */
const BUILT_IN = new Set([
  '',
  'policy',
  ...['scheduling', 'node', 'storage', 'resource'].map((name) => `${name}.k8s.io`),
]);
const OF_SERVER = new Set(['apiextensions.k8s.io', 'admissionregistration.k8s.io']);

/** A definition of each kind that projects add, so that every right has something to read. */
function definitions(): readonly JsonObject[] {
  return SNAPSHOT_COLLECTIONS.filter(({ group }) => !BUILT_IN.has(group) && !OF_SERVER.has(group)).map(
    ({ group, plural, kind }): JsonObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: `${plural}.${group}`,
        annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
      },
      spec: {
        group,
        scope: 'Cluster',
        names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    }),
  );
}

describeLive('gantry snapshot with its own ClusterRole', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-rights-'));
  let lab: Lab;

  beforeAll(async () => {
    // Native PodGroups are alpha in this minor, and only there if asked for.
    lab = await Lab.start({
      audit: true,
      serve: ['api/beta', 'scheduling.k8s.io/v1alpha2'],
      featureGates: { GenericWorkload: true },
      customResources: false,
      extra: ['kube-controller-manager'],
    });
    await applyCustomResources(lab.cluster.client, definitions());
    await lab.create(node('n-0'), pod('p'));
    await apply(lab, [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT.name, namespace: ACCOUNT.namespace } },
      snapshotClusterRole(),
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'gantry-snapshot' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gantry-snapshot' },
        subjects: [ACCOUNT],
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace: 'default' },
        stringData: { key: 'hunter2' },
      },
    ]);
  });
  afterAll(async () => {
    await lab.stop();
    rmSync(folder, { recursive: true });
  });

  it('uses each of its rights and no others, and reads everything', async () => {
    const kubeconfig = kubeconfigFor(lab, await tokenOf(lab, ACCOUNT.namespace, ACCOUNT.name));
    expect(gantryIn(folder, kubeconfig, 'snapshot', '-o', 'lab.json').err).toBe('');

    const asked = askedBy(`system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`, lab.cluster.auditLog);
    expect(asked.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
    const { rules = [] } = snapshotClusterRole() as ClusterRole;
    expect([...new Set(asked.map(({ right }) => right))].sort()).toEqual([...granted(rules ?? [])].sort());

    const text = textOfFile(readFileSync(join(folder, 'lab.json')), 'lab.json');
    const snapshot = readSnapshot(text, 'lab.json')!;
    expect(snapshot.gaps).toEqual([]);
    expect(snapshot.featureGates).toMatchObject({ GenericWorkload: true });
    expect(
      new Set(snapshot.lists.map(({ plural, apiVersion }) => `${plural} ${apiVersion.split('/').at(-2) ?? ''}`)),
    ).toEqual(new Set(SNAPSHOT_COLLECTIONS.map(({ plural, group }) => `${plural} ${group}`)));
    expect(text).not.toContain('hunter2');
  });
});
