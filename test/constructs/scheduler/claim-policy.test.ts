import { Chart, Testing } from 'cdk8s';
import { ClaimPolicy } from '../../../src/constructs/scheduler/claim-policy';
import { type ValidatingAdmissionPolicy } from '../../../src/facts/api/types/admissionregistration.k8s.io/v1';
import { type JsonObject } from '../../../src/facts/api/schema';
import { policyRefusals } from '../../support/policy-refusals';

const USER = 'system:serviceaccount:gantry-system:gantry-scheduler';
const FINALIZER = 'resource.kubernetes.io/delete-protection';

const policy = ((): ValidatingAdmissionPolicy => {
  const chart = new Chart(Testing.app(), 'chart');
  const made = new ClaimPolicy(chart, 'policy', { name: 'claims', labels: {}, username: USER });
  return made.resource.toJson() as ValidatingAdmissionPolicy;
})();

function claim(metadata: JsonObject = {}, status?: JsonObject): JsonObject {
  return { metadata: { name: 'c', ...metadata }, ...(status !== undefined && { status }) };
}

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };

/** A claim for the extended resources of a pod. */
function extended(exactly: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
  const request = { name: 'container-0-request-0', exactly: { deviceClassName: 'gpu', count: 1, ...exactly } };
  return {
    metadata: { name: 'p-extended-resources-0', annotations, ownerReferences: [owner], ...metadata },
    spec: { devices: { requests: [request] } },
  };
}

function refusals(
  before: JsonObject | null,
  after: JsonObject | null,
  user = USER,
  operation = 'UPDATE',
): readonly string[] {
  return policyRefusals(policy, { before, after, user, request: { operation } });
}

const allocation = { devices: { results: [] } };
const consumer = { resource: 'pods', name: 'p', uid: 'u' };
const group = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'g' };
const report = { driver: 'd', pool: 'p', device: 'x' };

describe('the scheduler', () => {
  it.each([
    ['sets the finalizer of claims with devices', claim(), claim({ finalizers: [FINALIZER] })],
    ['keeps other finalizers', claim({ finalizers: ['a/b', FINALIZER] }), claim({ finalizers: ['a/b'] })],
    ['gives devices and reserves them', claim(), claim({}, { allocation, reservedFor: [consumer] })],
    [
      'reserves a claim that is reserved for something else',
      claim({}, { allocation, reservedFor: [group] }),
      claim({}, { allocation, reservedFor: [group, consumer] }),
    ],
    [
      'takes devices back, and what drivers reported goes with them',
      claim({}, { allocation, reservedFor: [consumer], devices: [report] }),
      claim({}, {}),
    ],
    [
      'leaves reports as they are',
      claim({}, { allocation, devices: [report] }),
      claim({}, { allocation, devices: [report] }),
    ],
  ])('%s', (_, before, after) => {
    expect(refusals(before, after)).toEqual([]);
  });

  it.each([
    ['labels', claim(), claim({ labels: { a: 'b' } }), /labels and annotations/],
    ['annotations', claim({ annotations: { a: 'b' } }), claim(), /labels and annotations/],
    ['other finalizers', claim(), claim({ finalizers: ['a/b'] }), /only the finalizer/],
    ['the finalizer of others away', claim({ finalizers: ['a/b'] }), claim(), /only the finalizer/],
    ['owners', claim({ ownerReferences: [{ uid: 'a' }] }), claim(), /only the finalizer/],
    ['reservations for other things', claim(), claim({}, { allocation, reservedFor: [group] }), /for pods only/],
    [
      'reservations for other things away',
      claim({}, { allocation, reservedFor: [group] }),
      claim({}, { allocation }),
      /for pods only/,
    ],
    ['reports of drivers', claim({}, { allocation }), claim({}, { allocation, devices: [report] }), /drivers report/],
  ])('does not change %s', (_, before, after, message) => {
    expect(refusals(before, after)).toEqual([expect.stringMatching(message)]);
  });

  it('makes claims for the extended resources of a pod, and deletes those that no pod uses', () => {
    const made = extended();
    expect(refusals(null, made, USER, 'CREATE')).toEqual([]);
    expect(refusals(made, null, USER, 'DELETE')).toEqual([]);
    expect(refusals({ ...made, status: { allocation } }, null, USER, 'DELETE')).toEqual([]);
  });

  it.each([
    ['a plain one', claim()],
    ['without the annotation', extended({}, { annotations: { a: 'true' } })],
    ['without an owner', extended({}, { ownerReferences: [] })],
    ['of something else', extended({}, { ownerReferences: [{ ...owner, kind: 'Job' }] })],
    ['of two pods', extended({}, { ownerReferences: [owner, { ...owner, name: 'q' }] })],
    ['of a pod that does not control it', extended({}, { ownerReferences: [{ ...owner, controller: false }] })],
    ['with admin access', extended({ adminAccess: true })],
    ['with selectors', extended({ selectors: [{ cel: { expression: 'true' } }] })],
    ['with tolerations', extended({ tolerations: [{ operator: 'Exists' }] })],
    ['with alternatives', { ...extended(), spec: { devices: { requests: [{ name: 'a', firstAvailable: [] }] } } }],
    ['with configuration', { ...extended(), spec: { devices: { requests: [], config: [] } } }],
    ['with constraints', { ...extended(), spec: { devices: { requests: [], constraints: [] } } }],
    ['without requests', { ...extended(), spec: { devices: {} } }],
  ])('does not make %s', (_, made) => {
    expect(refusals(null, made, USER, 'CREATE')).toEqual([expect.stringMatching(/only for the extended resources/)]);
  });

  it('does not delete claims of others, or of pods that use them', () => {
    const used = { ...extended(), status: { allocation, reservedFor: [consumer] } };
    for (const other of [claim(), used]) {
      expect(refusals(other, null, USER, 'DELETE')).toEqual([expect.stringMatching(/that no pod uses/)]);
    }
  });

  it('is the only one that is asked', () => {
    expect(refusals(claim(), claim({ labels: { a: 'b' } }), 'kube-scheduler')).toEqual([]);
    expect(refusals(claim(), null, 'kube-scheduler', 'DELETE')).toEqual([]);
  });
});
