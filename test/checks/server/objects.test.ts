/**
 * Rules over built-in objects: each fires on its fault, and valid objects of every kind stay silent.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { jobRules } from '../../../src/checks/server/workloads/job';
import { asObject } from '../../../src/manifests/read';
import { findingsOf, rulesFiring } from '../../support/findings';
import { OBJECT_FAULTS } from './faults';
import { broken, crd, priorityClass, quota, schemaOf, service } from './faults/fault';
import { type Json, cronJob, daemonSet, deployment, indexedJob, job, statefulSet, yaml } from './valid';
import {
  admissionObjects,
  clusterObjects,
  deviceObjects,
  recordObjects,
  serviceObjects,
  storageObjects,
  tenantObjects,
} from './valid-objects';

const VALID: readonly Json[] = [
  deployment(),
  statefulSet(),
  daemonSet(),
  job(),
  cronJob(),
  ...tenantObjects(),
  ...serviceObjects(),
  ...clusterObjects(),
  ...storageObjects(),
  ...deviceObjects(),
  ...admissionObjects(),
  ...recordObjects(),
];

describe('rules over built-in objects', () => {
  it.each(VALID.map((object) => [object.kind as string, object] as const))('take a valid %s', (_kind, object) => {
    expect(findingsOf(yaml(object), coreRules, { kubernetes: '1.36' })).toEqual([]);
  });

  it.each(OBJECT_FAULTS)('core/%s fires on %s', (...fault) => {
    const [rule] = fault;
    expect(rulesFiring(yaml(broken(fault)), coreRules, { kubernetes: '1.36' })).toContain(`core/${rule}`);
  });

  it('have a fault in this table, each of them', () => {
    // Composite groups have a table of their own, native-gangs.test.ts; fields that are dropped are no fault, gated-fields.test.ts.
    const covered = new Set([
      'core/composite-pod-group-valid',
      'core/field-enabled',
      ...OBJECT_FAULTS.map(([rule]) => `core/${rule}`),
    ]);
    expect(coreRules.filter((rule) => rule.on === 'object' && !covered.has(rule.id)).map(({ id }) => id)).toEqual([]);
  });
});

describe('the Job that KEDA creates of a ScaledJob', () => {
  const scaledJob = (jobTargetRef: Json): Json => ({
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledJob',
    metadata: { name: 'work' },
    spec: { jobTargetRef, triggers: [] },
  });

  it('is taken if a Job with its spec is', () => {
    expect(findingsOf(yaml(scaledJob(asObject(job().spec))), jobRules)).toEqual([]);
  });

  it('needs no restart policy, because KEDA sets OnFailure', () => {
    expect(findingsOf(yaml(scaledJob({ template: { spec: {} } })), jobRules)).toEqual([]);
    const failures = { podFailurePolicy: { rules: [] }, template: { spec: {} } };
    expect(findingsOf(yaml(scaledJob(failures)), jobRules)).toContainEqual(
      expect.objectContaining({ message: 'restartPolicy must be Never when podFailurePolicy is set' }),
    );
  });

  it.each([
    ['core/job-restart-policy', { template: { spec: { restartPolicy: 'Always' } } }, '/template/spec/restartPolicy'],
    ['core/job-counts-not-negative', { ...asObject(job().spec), backoffLimit: -1 }, '/backoffLimit'],
    [
      'core/job-success-policy',
      { ...asObject(indexedJob().spec), successPolicy: { rules: [] } },
      '/successPolicy/rules',
    ],
  ])('is held to %s', (rule, spec, path) => {
    expect(findingsOf(yaml(scaledJob(spec)), jobRules)).toMatchObject([
      { rule, tier: 'webhook', severity: 'error', path: `/spec/jobTargetRef${path}` },
    ]);
  });
});

describe('rules over the whole set', () => {
  it('core/object-once names the second of two equal objects', () => {
    const found = findingsOf(`${yaml(deployment())}\n---\n${yaml(deployment())}`, coreRules);
    expect(found).toMatchObject([{ rule: 'core/object-once', tier: 'advice', path: '/metadata/name' }]);
  });

  it('core/object-once takes equal names in different namespaces and of different kinds', () => {
    const other = { ...deployment(), metadata: { name: 'web', namespace: 'other' } };
    expect(findingsOf([deployment(), other, service()].map(yaml).join('\n---\n'), coreRules)).toEqual([]);
  });

  it('core/one-global-default-priority-class refuses the second', () => {
    const classes = ['low', 'high'].map((name) => ({ ...priorityClass(), metadata: { name }, globalDefault: true }));
    expect(findingsOf(classes.map(yaml).join('\n---\n'), coreRules)).toMatchObject([
      { rule: 'core/one-global-default-priority-class', tier: 'server' },
    ]);
  });
});

describe('core/service-cluster-ip-in-range', () => {
  const range = (name: string, ...cidrs: readonly string[]): Json => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name },
    spec: { cidrs: [...cidrs] },
  });
  const fixed = (clusterIP: string): Json => ({ ...service(), spec: { ...(service().spec as Json), clusterIP } });
  const found = (...objects: readonly Json[]): readonly unknown[] =>
    findingsOf(objects.map(yaml).join('\n---\n'), coreRules).map(({ rule, severity }) => [rule, severity]);

  it('rejects an address outside of the ranges of the cluster', () => {
    const error = [['core/service-cluster-ip-in-range', 'error']];
    expect(found(range('kubernetes', '10.96.0.0/16'), fixed('10.97.0.1'))).toEqual(error);
    expect(found(range('kubernetes', '10.96.0.0/16'), fixed('fd00::1'))).toEqual(error);
  });

  it('warns where the range of the server is not known', () => {
    expect(found(range('more', '10.98.0.0/16'), fixed('10.97.0.1'))).toEqual([
      ['core/service-cluster-ip-in-range', 'warning'],
    ]);
  });

  it('takes an address in any range, and none', () => {
    const ranges = [range('kubernetes', '10.96.0.0/16', 'fd00::/112'), range('more', '10.98.0.0/24')];
    for (const address of ['10.96.255.1', '10.98.0.7', 'fd00::7', '']) {
      expect(found(...ranges, fixed(address))).toEqual([]);
    }
    expect(found(fixed('192.168.1.1'))).toEqual([]);
  });
});

describe('what the server was seen to take', () => {
  it.each<[string, Json]>([
    ...['US/Pacific', 'Etc/GMT+1', 'GMT0', 'America/Port-au-Prince', 'Africa/Dar_es_Salaam', 'posix/Europe/Berlin'].map(
      (timeZone): [string, Json] => [
        `the time zone ${timeZone}`,
        { ...cronJob(), spec: { ...(cronJob().spec as Json), timeZone } },
      ],
    ),
    [
      'a Job whose pods have labels of their own, and a name of 64 characters',
      {
        ...job(),
        metadata: { name: 'x'.repeat(64) },
        spec: {
          ...(job().spec as Json),
          manualSelector: true,
          selector: { matchLabels: { a: 'b' } },
          template: { ...((job().spec as Json).template as Json), metadata: { labels: { a: 'b' } } },
        },
      },
    ],
    [
      'a field that is in a branch only',
      (() => {
        const object = crd();
        schemaOf(object.spec as Json).properties = {
          spec: { type: 'object', oneOf: [{ properties: { b: { minimum: 1 } } }] },
        };
        return object;
      })(),
    ],
    ['a quota of a vendor\'s resource without "requests."', { ...quota(), spec: { hard: { 'nvidia.com/gpu': '1' } } }],
    ['a PriorityClass without a value', { ...priorityClass(), value: null }],
    ['a schedule that never comes', { ...cronJob(), spec: { ...(cronJob().spec as Json), schedule: '0 0 31 2 *' } }],
    ['a pod failure policy without rules', { ...job(), spec: { ...(job().spec as Json), podFailurePolicy: {} } }],
    [
      'a claim for devices without a spec',
      { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'none' } },
    ],
  ])('%s', (_what, object) => {
    expect(findingsOf(yaml(object), coreRules, { kubernetes: '1.36' })).toEqual([]);
  });
});
