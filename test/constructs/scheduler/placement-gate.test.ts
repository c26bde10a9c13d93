/**
 * PlacementGate: the policy that sends the pods of others to Gantry.
 */
import { App, Chart } from 'cdk8s';
import { type MutatingAdmissionPolicy } from '../../../src/facts/api/types/admissionregistration.k8s.io/v1';
import { Checks } from '../../../src/checks/synth/checks-of';
import { PlacementGate, type PlacementGateProps } from '../../../src/constructs/scheduler';
import { Testing } from '../../../src/interfaces/testing';

function policy(props?: PlacementGateProps): MutatingAdmissionPolicy {
  const app = new App();
  const chart = new Chart(app, 'chart');
  if (props?.kubernetes !== undefined) {
    Checks.of(app).target(props.kubernetes);
  }
  new PlacementGate(chart, 'gate', props);
  const [first, second] = Testing.synth(app) as readonly [MutatingAdmissionPolicy, { readonly kind: string }];
  expect(second.kind).toBe('MutatingAdmissionPolicyBinding');
  return first;
}

test.each([
  ['1.34', 'v1beta1'],
  ['1.35', 'v1beta1'],
  ['1.36', 'v1'],
  ['1.37', 'v1'],
] as const)('Kubernetes %s gets the policy as %s', (kubernetes, version) => {
  expect(policy({ kubernetes }).apiVersion).toBe(`admissionregistration.k8s.io/${version}`);
});

test('before Kubernetes 1.34 there is nothing to gate with, and the error says what to do', () => {
  expect(() => policy({ kubernetes: '1.33' })).toThrow(
    'Kubernetes 1.33 does not serve MutatingAdmissionPolicy as beta or stable, which requires 1.34 or later.',
  );
});

test('only new pods of the chosen namespaces that kube-scheduler would place get the gate', () => {
  const { spec } = policy({ namespaces: { matchLabels: { team: 'research' } } });
  expect(spec?.matchConstraints).toMatchObject({
    namespaceSelector: { matchLabels: { team: 'research' } },
    resourceRules: [{ resources: ['pods'], operations: ['CREATE'] }],
  });
  expect(spec?.matchConditions?.map(({ name }) => name)).toEqual([
    'not-bound',
    'of-the-default-scheduler',
    'not-of-a-daemon-set',
    'not-of-the-cluster',
    'not-the-scheduler-itself',
  ]);
  expect(spec?.mutations?.[0]?.applyConfiguration?.expression).toContain('"gantry.dev/placement"');
});
