/**
 * MutatingAdmissionPolicies of a cluster: what they make of a manifest is validated, and judged by the validating policies.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { TargetCluster } from '../../../src/checks/cluster/target-cluster';
import { type Finding } from '../../../src/checks/report/finding';
import { check, readManifests } from '../../../src/interfaces/checks';
import { type SnapshotList } from '../../../src/manifests/snapshot/cluster-snapshot';
import { smallSnapshot } from '../../support/small-snapshot';
import { apply, MUTATED_JOB, MUTATIONS, patch } from './mutation-cases';

const VERSION = 'admissionregistration.k8s.io/v1';
const JOBS = {
  resourceRules: [{ apiGroups: ['batch'], apiVersions: ['*'], operations: ['CREATE'], resources: ['jobs'] }],
};
const KINDS = [
  ['', 'v1', 'Namespace', 'namespaces'],
  ['batch', 'v1', 'Job', 'jobs'],
].map(([group, version, kind, plural]) => ({ group, version, kind, plural, namespaced: true, status: true }));

const list = (kind: string, plural: string, ...items: readonly JsonObject[]): SnapshotList => ({
  apiVersion: VERSION,
  kind,
  plural,
  items,
});
interface Mutating {
  readonly name?: string;
  readonly mutations: readonly JsonObject[];
  readonly more?: JsonObject;
  /** @default - every object */
  readonly binding?: JsonObject;
}

function clusterWith(policies: readonly Mutating[], validation?: string): TargetCluster {
  const specs = policies.map(({ name = 'mutate', mutations, more }): JsonObject => ({
    metadata: { name },
    spec: { matchConstraints: JOBS, failurePolicy: 'Fail', mutations: [...mutations], ...more },
  }));
  const bindings = policies.map(({ name = 'mutate', binding = {} }): JsonObject => ({
    metadata: { name },
    spec: { policyName: name, ...binding },
  }));
  return TargetCluster.of(
    smallSnapshot({
      serverVersion: 'v1.36.0',
      kinds: KINDS,
      lists: [
        list('MutatingAdmissionPolicy', 'mutatingadmissionpolicies', ...specs),
        list('MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings', ...bindings),
        ...(validation === undefined
          ? []
          : [
              list('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', {
                metadata: { name: 'validate' },
                spec: { matchConstraints: JOBS, validations: [{ expression: validation }] },
              }),
              list('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', {
                metadata: { name: 'validate' },
                spec: { policyName: 'validate', validationActions: ['Deny'] },
              }),
            ]),
      ],
    }),
  );
}

const findings = (cluster: TargetCluster, rule: string): readonly Finding[] =>
  check(readManifests(JSON.stringify(MUTATED_JOB)), { cluster }).findings.filter(
    (finding) => finding.rule === `cluster/${rule}`,
  );
const messages = (...policies: readonly Mutating[]): readonly string[] =>
  findings(clusterWith(policies), 'mutating-policy').map(({ message }) => message);

/** Whether an expression holds for the Job after the mutations. */
function holds(expression: string, ...policies: readonly Mutating[]): boolean {
  expect(messages(...policies)).toEqual([]);
  return findings(clusterWith(policies, expression), 'admission-policy').length === 0;
}

describe.each(MUTATIONS)('the mutation $name', ({ mutation, holds: condition, fails }) => {
  if (condition !== undefined) {
    it('changes the object', () => {
      expect(holds(condition, { mutations: [mutation] })).toBe(true);
      expect(holds(`!(${condition})`, { mutations: [mutation] })).toBe(false);
    });
    return;
  }
  it('fails, unless failures are ignored', () => {
    expect(messages({ mutations: [mutation] })).toEqual([`MutatingAdmissionPolicy "mutate" fails: ${fails}`]);
    expect(messages({ mutations: [mutation], more: { failurePolicy: 'Ignore' } })).toEqual([]);
  });
});

describe('the policies of a cluster', () => {
  const suspend = patch('[JSONPatch{op: "add", path: "/spec/suspend", value: true}]');

  it('are reported if what they return is invalid', () => {
    expect(messages({ mutations: [apply('Object{spec: Object.spec{parallelism: "two"}}')] })).toEqual([
      expect.stringMatching(/^invalid after MutatingAdmissionPolicy mutate: \/spec\/parallelism .*integer/),
    ]);
  });

  it('are evaluated in the order of their names, each mutation after the ones before it', () => {
    const add = (letter: string): JsonObject =>
      patch(
        `[JSONPatch{op: "replace", path: "/metadata/labels/team", value: object.metadata.labels.team + "${letter}"}]`,
      );
    expect(
      holds(
        'object.metadata.labels.team == "abcd"',
        { name: 'y', mutations: [add('d')] },
        { name: 'x', mutations: [add('b'), add('c')] },
      ),
    ).toBe(true);
  });

  it('are named where a validating policy rejects what they made', () => {
    expect(
      findings(clusterWith([{ mutations: [suspend] }], '!has(object.spec.suspend)'), 'admission-policy'),
    ).toMatchObject([
      {
        message:
          'ValidatingAdmissionPolicy "validate": failed expression: !has(object.spec.suspend) (after MutatingAdmissionPolicy mutate)',
      },
    ]);
  });

  it.each<[string, Mutating]>([
    [
      'a match condition does not hold',
      { mutations: [suspend], more: { matchConditions: [{ name: 'a', expression: 'object.spec.parallelism > 2' }] } },
    ],
    [
      'the binding does not choose the object',
      { mutations: [suspend], binding: { matchResources: { objectSelector: { matchLabels: { team: 'b' } } } } },
    ],
    [
      'the server alone knows what it reads',
      { mutations: [patch('[JSONPatch{op: "add", path: "/spec/suspend", value: request.userInfo.username == ""}]')] },
    ],
  ])('change nothing if %s', (_, policy) => {
    expect(holds('!has(object.spec.suspend)', policy)).toBe(true);
  });
});
