/**
 * Limits of the server's validation at their edges, and alternatives one by one: what passes, and the place of what does not.
 */
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';
import { LIMIT_CASES } from './limit-cases';
import { indexedJob, type Json, minimalPod, yaml } from './valid';

test.each(LIMIT_CASES.map(({ what, ...rest }) => [what, rest] as const))('%s', (_, { object, faults }) => {
  const found = findingsOf(yaml(object), coreRules);
  expect(found.map(({ path }) => path)).toEqual(faults.map(({ path }) => path));
  faults.forEach(({ words }, index) => expect(found[index].message).toContain(words));
});

test('a finding at an object shows no value, one at a plain field its value', () => {
  const found = (what: string): readonly unknown[] => {
    const { object } = LIMIT_CASES.find((one) => one.what === what)!;
    return findingsOf(yaml(object), coreRules).map((finding) => finding.found);
  };
  expect(found('Flocker with neither')).toEqual([undefined]);
  expect(found('a quota for BestEffort and NotBestEffort')).toEqual([undefined]);
  expect(found('the iSCSI lun 256')).toEqual([256]);
});

test('before 1.33 a hook may not sleep 0 s', () => {
  const pod = minimalPod();
  (pod.spec as Json).containers = [{ name: 'main', image: 'img', lifecycle: { preStop: { sleep: { seconds: 0 } } } }];
  const of = (kubernetes: '1.32' | '1.33'): number => findingsOf(yaml(pod), coreRules, { kubernetes }).length;
  expect([of('1.32'), of('1.33')]).toEqual([1, 0]);
});

test('an exit code that is not a number is left to the schema', () => {
  const object = indexedJob();
  const codes = (values: Json['values']): unknown =>
    findingsOf(
      yaml({
        ...object,
        spec: {
          ...(object.spec as Json),
          podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: values! } }] },
        },
      }),
      coreRules,
    ).map(({ path }) => path.split('/').slice(-2).join('/'));
  expect(codes(['a', 'a', 3])).toEqual([]);
  expect(codes([3, 'a', 3])).toEqual(['values/2']);
  expect(codes([3, 'a', 2])).toEqual(['onExitCodes/values']);
  expect(codes([0, 3])).toEqual(['values/0']);
});

test('without a limit, the highest port passes', () => {
  const object: Json = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports: [{ port: 80 }], type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 65_535 },
  };
  // A server accepts it only where its range of node ports includes it.
  expect(findingsOf(yaml(object), coreRules)).toEqual([]);
});
