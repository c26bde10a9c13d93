/**
 * `Checks.of(app).against(file)`: the checks of an app against a snapshot in a file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart } from 'cdk8s';
import { Checks } from '../../../src';
import { writeSnapshot } from '../../../src/manifests/snapshot/cluster-snapshot';
import { smallSnapshot } from '../../support/small-snapshot';

const folder = mkdtempSync(join(tmpdir(), 'gantry-against-'));
const file = join(folder, 'prod.gantry.json.gz');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const served = (group: string, version: string, kind: string, plural: string, namespaced = true): object => ({
  group,
  version,
  kind,
  plural,
  namespaced,
  status: false,
});

beforeAll(() => {
  const snapshot = smallSnapshot({
    kinds: [
      served('', 'v1', 'Namespace', 'namespaces', false),
      served('', 'v1', 'Pod', 'pods'),
      served('scheduling.k8s.io', 'v1', 'PriorityClass', 'priorityclasses', false),
    ] as never,
    lists: [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        plural: 'namespaces',
        items: [{ metadata: { name: 'research' }, status: { phase: 'Active' } }],
      },
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        plural: 'priorityclasses',
        items: [{ metadata: { name: 'high' }, value: 1000 }],
      },
    ],
  });
  writeFileSync(file, writeSnapshot(snapshot));
});

function app(namespace: string, priorityClassName: string, apiVersion = 'v1'): App {
  const made = new App();
  new ApiObject(new Chart(made, 'chart'), 'pod', {
    apiVersion,
    kind: 'Pod',
    metadata: { name: 'train', namespace },
    spec: { priorityClassName, containers: [{ name: 'main', image: 'example.com/train:1' }] },
  });
  return made;
}

it('passes what the cluster of the file takes, without a construct of the library', () => {
  const made = app('research', 'high');
  Checks.of(made).against(file);
  expect(made.synthYaml()).toContain('priorityClassName: high');
});

it('fails the synth for references to what the cluster does not have', () => {
  const made = app('nowhere', 'highest');
  Checks.of(made).against(file);
  expect(() => made.synthYaml()).toThrow(/nowhere[\s\S]*highest|highest[\s\S]*nowhere/);
  expect(app('nowhere', 'highest').synthYaml()).toContain('nowhere');
});

it('fails the synth for a version that the cluster does not serve', () => {
  const made = app('research', 'high', 'v2');
  Checks.of(made).against(file);
  expect(() => made.synthYaml()).toThrow(/does not serve Pod in apiVersion "v2"/);
});

it('says in one line that a file cannot be read', () => {
  const damaged = join(folder, 'damaged.json');
  writeFileSync(damaged, '{"apiVersion":"gantry.dev/v1","kind":"ClusterSnapshot","formatVersion":"one"}');
  const made = app('research', 'high');
  expect(() => Checks.of(made).against(damaged)).toThrow(
    /^[^\n]*damaged\.json: formatVersion must be 1, but is "one"[^\n]*$/,
  );
  expect(() => Checks.of(made).against(join(folder, 'absent.json'))).toThrow(/^[^\n]*absent\.json[^\n]*$/);
});
