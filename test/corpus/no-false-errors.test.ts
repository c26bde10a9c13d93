/**
 * Manifests that are valid for everybody who reads them (the API server, controllers, device plugins), and use what is rarely used:
 * no rule may call them wrong. The other files of the corpus are held against an API server alone.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { check } from '../../src/checks/engine';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';
import { allRules } from '../../src/rules/all-rules';

const FOLDER = resolve(__dirname, '../e2e/corpus');
const VALID_THROUGHOUT = [
  'batch.yaml', 'devices.yaml', 'gpu-operator.yaml', 'inference.yaml', 'jobs.yaml', 'keda.yaml', 'kubeflow.yaml', 'monitoring.yaml', 'networking.yaml', 'node-tuning.yaml', 'queues.yaml', 'ray.yaml', 'trainer.yaml',
];

test.each(VALID_THROUGHOUT)('%s has no error', (file) => {
  const { manifests, problems } = parseYaml(readFileSync(join(FOLDER, file), 'utf8'), file);
  const { findings } = check(new ManifestSet(manifests, problems), { rules: allRules(), kubernetes: '1.36' });
  const errors = findings.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ rule, object, path, message }) => `${rule} at ${object} ${path}: ${message}`)).toEqual([]);
});
