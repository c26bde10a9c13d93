import { existsSync } from 'fs';
import { compareCrds, compareKubernetes, REFERENCE_FOLDER } from '../../../projen/api/compare';

const available = existsSync(REFERENCE_FOLDER);
if (!available) {
  console.log(`SKIPPED: ${REFERENCE_FOLDER} is not there, schemas are not compared with it`);
}

(available ? describe : describe.skip)('the schemas that the library loads', () => {
  test('are those of the reference at every node of every custom resource', () => {
    const { kinds, nodes, differences } = compareCrds(REFERENCE_FOLDER);
    expect(differences).toEqual([]);
    expect(kinds).toBeGreaterThan(120);
    expect(nodes).toBeGreaterThan(70_000);
  });

  test('are those of the reference for every built-in kind, but for what a later patch release changed', () => {
    const { kinds, differences } = compareKubernetes(REFERENCE_FOLDER);
    // 1.30.14 requires the address of a pod's and a host's IP, which 1.30's first release did not.
    expect(differences.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      '1.30 v1 Pod /status/hostIPs/[]',
      '1.30 v1 Pod /status/podIPs/[]',
    ]);
    expect(kinds).toBeGreaterThan(600);
  });
});
