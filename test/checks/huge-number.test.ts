import { check } from '../../src/checks/engine';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';

function refusals(text: string): readonly string[] {
  const { manifests, problems } = parseYaml(text, 'a.json');
  return check(new ManifestSet(manifests, problems), { rules: [], tiers: ['schema', 'cel', 'server'] }).findings.map(
    ({ rule }) => rule,
  );
}

const QUEUE =
  '{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "a"}, "spec": {"capability": {"cpu": 1e400}}}';
const POD = (where: string): string =>
  `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {${where}, "containers": [{"name": "a", "image": "a", "resources": {"limits": {"cpu": 1e400}}}]}}`;

test('a custom resource with a number beyond a double is refused, wherever it is', () => {
  expect(refusals(QUEUE)).toEqual(['yaml/number-in-range']);
});

test('in a built-in kind it is a quantity, and nothing else', () => {
  expect(refusals(POD('"restartPolicy": "Never"'))).toEqual([]);
  expect(refusals(POD('"priority": 1e400'))).toEqual(['schema/type']);
  expect(refusals(POD('"nodeName": 1e400'))).toEqual(['yaml/number-in-range']);
  expect(
    refusals('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": 1e999}}'),
  ).toEqual(['yaml/number-in-range']);
  const port = '{"port": 80, "targetPort": 1e400}';
  expect(
    refusals(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [${port}]}}`),
  ).toContain('yaml/number-in-range');
});
