import { gpuOperatorRules } from '../../src/gpu-operator/rules';
import { findingsOf } from '../support/findings';
import { configurationCases } from './cases/configurations';
import { objectCases } from './cases/objects';
import { type Manifests, plugin, pod, slicing } from './world';

const allCases = [...configurationCases, ...objectCases];
const yaml = (manifests: Manifests): string => manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
const firing = (manifests: Manifests): readonly string[] => findingsOf(yaml(manifests), gpuOperatorRules).map(({ rule }) => rule);

describe.each(allCases)('$rule', ({ rule, fires, silent }) => {
  test.each(Object.entries(fires))('fires: %s', (_, manifests) => {
    expect(firing(manifests)).toContain(rule);
  });

  test.each(Object.entries(silent))('is silent: %s', (_, manifests) => {
    expect(firing(manifests)).not.toContain(rule);
  });
});

test('every rule has a case in which it fires and one in which it is silent', () => {
  const covered = allCases.filter(({ fires, silent }) => [fires, silent].every((cases) => Object.keys(cases).length > 0));
  expect(covered.map(({ rule }) => rule).sort()).toEqual(gpuOperatorRules.map(({ id }) => id).sort());
});

test('ids are unique, in the domain, and say what must hold in kebab case', () => {
  const ids = gpuOperatorRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^gpu-operator\/[a-z0-9]+(-[a-z0-9]+)+$/);
});

test('two shares are an error where the configuration beside the pod refuses them', () => {
  const shared = slicing({ name: 'nvidia.com/gpu', replicas: 4 }, { failRequestsGreaterThanOne: true, renameByDefault: true });
  const [finding] = findingsOf(yaml([plugin(shared), pod({ 'nvidia.com/gpu.shared': 2 })]), gpuOperatorRules);
  expect(finding).toMatchObject({ rule: 'gpu-operator/shared-device-asked-once', severity: 'error' });
});
