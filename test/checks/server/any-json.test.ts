/**
 * Core rules, advice about pods and rules for nodes survive any JSON, and never disturb a valid pod.
 */
import fc from 'fast-check';
import { type JsonValue } from '../../../src/facts/api/schema';
import { coreRules } from '../../../src/checks/server/rules';
import { podTemplateRules } from '../../../src/checks/server/pods/rules';
import { nodeTuningRules } from '../../../src/constructs/node-tuning/rules';
import { podRules } from '../../../src/constructs/pods/rules';
import { findingsOf } from '../../support/findings';
import { cronJob, daemonSet, deployment, indexedJob, type Json, pytorchJob, richPod, statefulSet, yaml } from './valid';
import {
  admissionObjects,
  clusterObjects,
  deviceObjects,
  serviceObjects,
  storageObjects,
  tenantObjects,
} from './valid-objects';
import { samples } from '../../support/samples';

const RULES = [...coreRules, ...podRules, ...nodeTuningRules];
const SEED = 20261120;

const OBJECTS: readonly Json[] = [
  richPod(),
  deployment(),
  statefulSet(),
  daemonSet(),
  indexedJob(),
  cronJob(),
  pytorchJob(),
  ...tenantObjects(),
  ...serviceObjects(),
  ...clusterObjects(),
  ...storageObjects(),
  ...deviceObjects(),
  ...admissionObjects(),
  {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    kubeReserved: { cpu: '1' },
    reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    enforceNodeAllocatable: ['pods'],
  },
];

/** Every place of an object that another value may replace. */
function placesOf(
  value: JsonValue,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') {
    return [];
  }
  const entries: readonly (readonly [string | number, JsonValue])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return entries.flatMap(([key, item]) => [[...path, key], ...placesOf(item, [...path, key])]);
}

function withValueAt(object: Json, path: readonly (string | number)[], value: JsonValue): Json {
  const copy = structuredClone(object);
  let parent: JsonValue = copy;
  for (const key of path.slice(0, -1)) {
    parent = (parent as Record<string | number, JsonValue>)[key];
  }
  (parent as Record<string | number, JsonValue>)[path.at(-1) as string | number] = value;
  return copy;
}

const PLACES = OBJECTS.flatMap((object) =>
  placesOf(object)
    .filter(([key]) => key !== 'apiVersion' && key !== 'kind')
    .map((path) => ({ object, path })),
);

describe('rules and any JSON', () => {
  it('do not fail on any value in place of any field', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), fc.jsonValue({ maxDepth: 3 }), ({ object, path }, value) => {
        // `findingsOf` throws where a rule fails.
        findingsOf(yaml(withValueAt(object, path, value as JsonValue)), RULES, { kubernetes: '1.36' });
      }),
      { seed: SEED, numRuns: samples(800) },
    );
  });
});

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const environment = fc.array(
  fc.record({ name: fc.stringMatching(/^[A-Z][A-Z_]{1,8}$/), value: fc.stringMatching(/^[a-z0-9:/.-]{0,12}$/) }),
  { maxLength: 3 },
);
const amounts = fc.record({
  limits: fc.record({
    cpu: fc.integer({ min: 2, max: 64 }),
    memory: fc.constantFrom('4Gi', '512Mi', '1e9'),
    'nvidia.com/gpu': fc.integer({ min: 1, max: 8 }),
  }),
  requests: fc.record({ cpu: fc.constantFrom('1', '1500m', 1), memory: fc.constantFrom('256Mi', '100M') }),
});
const portNumber = fc.integer({ min: 1, max: 65535 });
const ports = fc
  .uniqueArray(portNumber, { maxLength: 3 })
  .map((numbers) => numbers.map((containerPort) => ({ containerPort })));
const probe = fc.option(
  fc.oneof(
    fc.record({
      httpGet: fc.record({ path: fc.constant('/healthz'), port: fc.integer({ min: 1, max: 65535 }) }),
      periodSeconds: fc.integer({ min: 1, max: 100 }),
    }),
    fc.record({ exec: fc.constant({ command: ['true'] }), timeoutSeconds: fc.integer({ min: 1, max: 9 }) }),
  ),
  { nil: undefined },
);
const pods = fc.record({
  names: fc.uniqueArray(label, { minLength: 1, maxLength: 4 }),
  volumes: fc.uniqueArray(label, { maxLength: 3 }),
  env: environment,
  resources: amounts,
  ports,
  probe,
  policy: fc.constantFrom('Always', 'OnFailure', 'Never', undefined),
  toleration: fc.constantFrom(
    { operator: 'Exists' },
    { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 },
  ),
  selector: fc.dictionary(label, fc.stringMatching(/^[A-Za-z0-9]{0,10}$/), { maxKeys: 2 }),
});

describe('a valid pod', () => {
  it('is let alone, however it is made', () => {
    fc.assert(
      fc.property(
        pods,
        ({ names, volumes, env, resources, ports: open, probe: live, policy, toleration, selector }) => {
          const pod = {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'made' },
            spec: {
              ...(policy === undefined ? {} : { restartPolicy: policy }),
              nodeSelector: selector,
              tolerations: [toleration],
              volumes: volumes.map((name) => ({ name, emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } })),
              containers: names.map((name) => ({
                name,
                image: 'img',
                env,
                resources,
                ports: open,
                livenessProbe: live ?? null,
                volumeMounts: volumes.map((volume) => ({ name: volume, mountPath: `/${volume}` })),
              })),
            },
          };
          expect(findingsOf(JSON.stringify(pod), podTemplateRules, { kubernetes: '1.36' })).toEqual([]);
        },
      ),
      { seed: SEED, numRuns: samples(300) },
    );
  });
});
