import { ManifestSet } from '../../../src/manifests/manifest-set';
import { selectorChooses } from '../../../src/manifests/references/selectors';
import { parseYaml } from '../../../src/manifests/yaml';

const LABELS = { app: 'web', tier: 'front' };

test.each([
  [{ matchLabels: { app: 'web' } }, true],
  [{ matchLabels: { app: 'web', tier: 'back' } }, false],
  [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['front', 'middle'] }] }, true],
  [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['front'] }] }, false],
  [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, true],
  [
    {
      matchExpressions: [
        { key: 'app', operator: 'Exists' },
        { key: 'zone', operator: 'DoesNotExist' },
      ],
    },
    true,
  ],
  [{ matchExpressions: [{ key: 'app', operator: 'Like' }] }, false],
  [{}, true],
  [undefined, false],
  ['text', false],
])('%j chooses %s', (selector, expected) => {
  expect(selectorChooses(selector, LABELS)).toBe(expected);
});

describe('in a set', () => {
  const { manifests } = parseYaml(
    `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: one}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {}}}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: two, labels: {app: web}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: one, labels: {monitored: really}}
spec: {selector: {app: web}}
---
apiVersion: v1
kind: Service
metadata: {name: headless, namespace: one}
spec: {clusterIP: None}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: everywhere, namespace: three}
spec: {namespaceSelector: {any: true}, selector: {matchLabels: {app: web}}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web, namespace: three}
spec: {namespaceSelector: {matchNames: [one]}, selector: {matchLabels: {monitored: really}}}
`,
    'a.yaml',
  );
  const set = new ManifestSet(manifests);
  const [deployment, pod, service, headless, podMonitor, serviceMonitor] = manifests;

  test('a Service and a Deployment choose pods of their namespace', () => {
    expect(set.podsSelectedBy(service).map(({ manifest }) => manifest)).toEqual([deployment]);
    expect(set.podsSelectedBy(deployment).map(({ manifest }) => manifest)).toEqual([deployment]);
    expect(set.podsSelectedBy(headless)).toEqual([]);
    expect(set.podsSelectedBy(pod)).toEqual([]);
  });

  test('monitors look into the namespaces that they name', () => {
    expect(set.podsSelectedBy(podMonitor).map(({ manifest }) => manifest)).toEqual([deployment, pod]);
    expect(set.servicesSelectedBy(serviceMonitor)).toEqual([service]);
    expect(set.servicesSelectedBy(service)).toEqual([]);
  });
});
