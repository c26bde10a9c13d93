/**
 * Nodes with a MIG manager, from the cluster file to the plan.
 */
import { findAccelerator, uniformMigConfigs } from '../../../src/facts/catalog';
import { readPolicyFile } from '../../../src/planning/cluster/files/policy-file';
import { readClusterFile } from '../../../src/planning/cluster';
import { clusterOf, gangNamed, plan } from './builders';

const POOL = 'name: a100, names: n-#, count: 2, accelerator: A100-SXM-80GB, perNode: 8';
const NOTEBOOKS = `
apiVersion: batch/v1
kind: Job
metadata: {name: notebooks, namespace: ai}
spec:
  parallelism: 60
  completions: 60
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: x, resources: {limits: {nvidia.com/mig-1g.10gb: 1}}}]
`;
const policy = readPolicyFile('{repartitionLimit: 1}', 'policy.yaml');

describe('a pool with a MIG manager', () => {
  it('has the built-in configurations of its accelerator', () => {
    const [{ migConfigs }] = clusterOf(`pools: [{${POOL}, migManager: true}]`).nodes;
    expect(migConfigs).toMatchObject({
      'all-disabled': {},
      'all-1g.10gb': { '1g.10gb': 7 },
      'all-1g.10gb.me': { '1g.10gb+me': 1 },
      'all-3g.40gb': { '3g.40gb': 2 },
    });
    expect(migConfigs).toEqual(uniformMigConfigs(findAccelerator('A100-SXM-80GB')!.mig));
    expect(clusterOf(`pools: [{${POOL}, migManager: false}]`).nodes[0].migConfigs).toBeUndefined();
  });

  it('must have accelerators with MIG', () => {
    expect(() => readClusterFile('pools: [{name: l4, accelerator: L4, migManager: true}]', 'c.yaml')).toThrow(
      'pools[0].migManager must be false, because the accelerator has no MIG profiles in the catalog',
    );
  });

  it('is planned with the node and the configuration that a gang waits for, if the policy says so', () => {
    const pending = (options: Parameters<typeof plan>[2], pool = `${POOL}, migManager: true`): string | undefined =>
      gangNamed(plan(NOTEBOOKS, clusterOf(`pools: [{${pool}}]`), options), 'ai/notebooks').pending?.message;
    const change = 'The gang starts when node "n-1" has the MIG configuration "all-1g.10gb".';
    expect(pending({ policy })).toBe(change);
    expect(pending({ policy }, POOL)).not.toBe(change);
    expect(pending({ policy, actions: [] })).not.toBe(change);
    expect(pending({})).not.toBe(change);
  });
});
