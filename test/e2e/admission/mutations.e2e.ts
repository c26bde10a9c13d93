/**
 * A live server makes the same of an object with a MutatingAdmissionPolicy as Gantry does: creating the object with the policy, and creating
 * without it what Gantry makes of the object, give the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { Mutations } from '../../../src/checks/cluster/mutations';
import { TargetCluster } from '../../../src/checks/cluster/target-cluster';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { asObject } from '../../../src/manifests/read';
import { MUTATED_JOB, MUTATIONS } from '../../checks/cluster/mutation-cases';
import { manifestOf } from '../../support/manifest-of';
import { smallSnapshot } from '../../support/small-snapshot';
import { askServer } from '../control-plane/server-verdict';
import { describeLive, liveCluster, type LiveCluster } from '../live-cluster';

const VERSION = 'admissionregistration.k8s.io/v1';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';

const jobOf = (index: number): JsonObject => ({
  ...MUTATED_JOB,
  metadata: { ...asObject(MUTATED_JOB.metadata), name: `case-${index}` },
});

/** A policy and its binding for the Job of a case. */
function policyOf(index: number, mutation: JsonObject): readonly JsonObject[] {
  const name = `case-${index}`;
  return [
    {
      apiVersion: VERSION,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] }],
        },
        matchConditions: [{ name: 'case', expression: `object.metadata.name == '${name}'` }],
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        mutations: [mutation],
      },
    },
    { apiVersion: VERSION, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
  ];
}

describeLive('mutating admission policies', () => {
  let live: LiveCluster;
  const expected = new Map<number, unknown>();

  /** The Job as the server would store it, without what differs from request to request. */
  const created = async (object: JsonObject): Promise<{ readonly status: number; readonly job: unknown }> => {
    const { status, body } = await live.cluster.client.request('POST', `${JOBS}?dryRun=All`, { body: object });
    const text = JSON.stringify({ labels: asObject(body.metadata).labels ?? {}, spec: body.spec });
    const uid = asObject(body.metadata).uid;
    return { status, job: JSON.parse(typeof uid === 'string' ? text.replaceAll(uid, 'UID') : text) };
  };

  const mutated = (index: number): ReturnType<Mutations['of']> => {
    const set = new ManifestSet([jobOf(index), ...policyOf(index, MUTATIONS[index].mutation)].map(manifestOf));
    const cluster = TargetCluster.of(
      smallSnapshot({
        kinds: [{ group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true, status: true }],
      }),
    );
    return new Mutations(cluster).of(set.manifests[0], { set, kubernetes: '1.36' });
  };

  beforeAll(async () => {
    live = await liveCluster();
    for (const [index, { holds }] of MUTATIONS.entries()) {
      if (holds !== undefined) {
        expected.set(index, await created(mutated(index).object));
      }
    }
    for (const object of MUTATIONS.flatMap(({ mutation }, index) => policyOf(index, mutation))) {
      const { verdict, message } = await askServer(live.cluster.client, live.discovery, object, { dryRun: false });
      expect([message, verdict]).toEqual(['', 'accepted']);
    }
    // The server evaluates a policy a moment after it was created.
    for (const deadline = Date.now() + 60_000; (await created(jobOf(MUTATIONS.length - 1))).status < 400;) {
      expect(Date.now()).toBeLessThan(deadline);
      await sleep(100);
    }
  });
  afterAll(async () => {
    for (const index of MUTATIONS.keys()) {
      for (const plural of ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies']) {
        await live.cluster.client.request('DELETE', `/apis/${VERSION}/${plural}/case-${index}`);
      }
    }
    live.cluster.client.close();
  });

  it.each(MUTATIONS.map(({ name }, index) => [name, index] as const))('the mutation %s', async (_, index) => {
    const said = await created(jobOf(index));
    const { failures } = mutated(index);
    expect({ index, rejected: said.status >= 400 }).toEqual({ index, rejected: failures.length > 0 });
    if (failures.length === 0) {
      expect(said).toEqual(expected.get(index));
    }
  });
});
