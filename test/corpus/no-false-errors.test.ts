/**
 * Manifests that are valid for everybody who reads them (the API server, controllers, device plugins), and use what is rarely used:
 * no rule may call them wrong.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { check } from '../../src/checks/engine';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';
import { allRules } from '../../src/interfaces/checks/all-rules';

const FOLDER = resolve(__dirname, '../e2e/corpus');
const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .sort();

/** What is legal and is in the corpus for the server's sake, though it does not do what it says: the finding, by file. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // The object shows the fields of the kind; the check would never become active.
  'kueue.yaml': ['kueue/multikueue-check-refers-to-config at kueue.x-k8s.io/v1beta1 AdmissionCheck corpus-remote'],
  // The file shows every kind of the operator; in one cluster there is either of these two.
  'platform.yaml': ['gpu-operator/cluster-policy-or-gpu-cluster at nvidia.com/v1alpha1 GPUCluster gpu-cluster'],
  // The API has the field and the controller passes it over.
  'volcano.yaml': ['volcano/job-flow-fields-read at flow.volcano.sh/v1alpha1 JobFlow corpus/pretrain'],
};

function read(file: string): ManifestSet {
  const { manifests, problems } = parseYaml(readFileSync(join(FOLDER, file), 'utf8'), file);
  return new ManifestSet(manifests, problems);
}

test.each(FILES)('%s has no error', (file) => {
  const { findings, notChecked } = check(read(file), { rules: allRules(), kubernetes: '1.36' });
  expect(notChecked).toEqual([]);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const exceptions = EXCEPTIONS[file] ?? [];
  const open = errors.filter(({ rule, object }) => !exceptions.includes(`${rule} at ${object}`));
  expect(open.map(({ rule, object, path, message }) => `${rule} at ${object} ${path}: ${message}`)).toEqual([]);
  expect(
    exceptions.filter((exception) => !errors.some(({ rule, object }) => exception === `${rule} at ${object}`)),
  ).toEqual([]);
});

test('the corpus is large, and of many kinds', () => {
  const ids = FILES.flatMap((file) => read(file).manifests.map(({ id }) => id));
  expect(ids.length).toBeGreaterThan(300);
  expect(new Set(ids.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).size).toBeGreaterThan(180);
});
